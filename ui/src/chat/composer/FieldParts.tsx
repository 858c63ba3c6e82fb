// Elements around a message field, wherever it is.

import { useRef } from 'react';

import { IconButton } from '../../shared';
import { Picker } from '../picker/Picker';
import { PromptForm } from '../picker/PromptForm';
import { MentionList } from './MentionList';
import type { Files } from './useFiles';
import type { MessageField } from './useMessageField';

/** Opens above the nearest positioned ancestor: the tool picker, or the list of notes. */
export function FieldPickers({ field: { picker, mention } }: { field: MessageField }) {
  return picker ? <Picker picker={picker} /> : mention && <MentionList picker={mention} />;
}

/** The form of a prompt, in the same place. Must not be nested in the message's form. */
export function PromptAbove({ field: { prompt, closePrompt }, files }: { field: MessageField; files: Files }) {
  return prompt && <PromptForm key={`${prompt.server} ${prompt.name}`} prompt={prompt} onFilled={files.take} onClose={closePrompt} />;
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
