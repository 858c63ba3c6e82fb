// The real window's backend. The only file that imports Tauri.

import { Channel, invoke } from '@tauri-apps/api/core';

import type { Backend, Envelope } from '.';

export const tauriBackend: Backend = {
  rpc: (method, params) => invoke('rpc', { method, params }),

  subscribe(onEvent) {
    let open = true;
    const channel = new Channel<Envelope[]>();
    channel.onmessage = (batch) => {
      if (open) for (const event of batch) onEvent(event);
    };
    void invoke('subscribe', { channel });
    return () => {
      open = false;
    };
  },
};
