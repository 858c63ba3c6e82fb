// What stands around the field of a message, wherever that is.

import { useRef } from 'react';

import { IconButton } from '../../shared';
import { Picker } from '../picker/Picker';
import { MentionList } from './MentionList';
import type { Files } from './useFiles';
import type { MessageField } from './useMessageField';

/** Opens above the nearest element that is positioned: the picker of tools, or the list of notes. */
export function FieldPickers({ field: { picker, mention } }: { field: MessageField }) {
  return picker ? <Picker picker={picker} /> : mention && <MentionList picker={mention} />;
}

export function AttachButton({ files, className = '' }: { files: Files; className?: string }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="clip" label="Attach files" data-testid="attach" className={className} onClick={() => chooser.current?.click()} />
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-label="Files"
        data-testid="file-chooser"
        onChange={(event) => {
          files.add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
