// Providers at which a user signs in with the browser.

import type { MailProvider } from '../../ipc';

export const providers: readonly MailProvider[] = ['google', 'microsoft'];

export const providerTitle: Record<MailProvider, string> = { google: 'Google', microsoft: 'Microsoft' };
