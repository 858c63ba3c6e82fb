// The name of a note: typed, or chosen from similar ones. Other text is kept, for a note yet to be written.

import type { Control } from './control';
import { SuggestedLine } from './SuggestedLine';
import { useSuggestions, type Suggest } from './Suggestions';

export function NoteField({ text, suggest, ...control }: Control & { readonly text: string; readonly suggest: Suggest }) {
  const { id, field, write } = control;
  const suggestions = useSuggestions(id, field.key, suggest, write, { record: field.record });
  return (
    <SuggestedLine
      {...control}
      text={text}
      suggestions={suggestions}
      placeholder={field.record === undefined ? 'Name of a note' : 'Type to search'}
    />
  );
}
