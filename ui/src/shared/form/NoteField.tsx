// The name of a note: typed, or chosen among those that are like it. What is not among them stays
// as it was typed, for a note that is yet to be written.

import { TextField } from '../Field';
import { onceFocusMoved } from '../focus';
import type { Control } from './control';
import { SuggestionList, useSuggestions, type Suggest } from './Suggestions';

type NoteFieldProps = Control & { readonly text: string; readonly suggest: Suggest };

export function NoteField({ id, field, text, disabled, invalid, describedBy, write, leave, suggest }: NoteFieldProps) {
  const suggestions = useSuggestions(id, field.key, suggest, write, { record: field.record });
  return (
    <span className="relative">
      <TextField
        id={id}
        disabled={disabled}
        invalid={invalid}
        value={text}
        placeholder={field.record === undefined ? 'Name of a note' : 'Type to search'}
        aria-describedby={describedBy}
        {...suggestions.props}
        onChange={(event) => {
          write(event.target.value);
          suggestions.look(event.target.value);
        }}
        onKeyDown={suggestions.onKeyDown}
        onBlur={() =>
          onceFocusMoved(() => {
            suggestions.close();
            leave();
          })
        }
      />
      <SuggestionList of={suggestions} label={field.label} />
    </span>
  );
}
