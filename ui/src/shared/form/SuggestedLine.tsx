import type { ReactNode, Ref } from 'react';

import { TextField } from '../Field';
import { onceFocusMoved } from '../focus';
import type { Control } from './control';
import { SuggestionList, type Suggestions } from './Suggestions';

interface SuggestedLineProps extends Control {
  readonly text: string;
  readonly suggestions: Suggestions;
  readonly placeholder?: string;
  readonly className?: string;
  readonly ref?: Ref<HTMLInputElement>;
  /** Shown in the line, after its text. */
  readonly children?: ReactNode;
}

/** A text input with suggestions below. Leaving it closes them. */
export function SuggestedLine({ id, field, text, disabled, invalid, describedBy, write, leave, suggestions, placeholder, className = '', ref, children }: SuggestedLineProps) {
  return (
    <span className="relative">
      <TextField
        {...(ref ? { ref } : {})}
        id={id}
        disabled={disabled}
        invalid={invalid}
        value={text}
        placeholder={placeholder}
        className={className}
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
      {children}
      <SuggestionList of={suggestions} label={field.label} />
    </span>
  );
}
