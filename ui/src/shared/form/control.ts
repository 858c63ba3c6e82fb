import type { Draft, Field } from './field';

export interface Control {
  readonly id: string;
  readonly field: Field;
  readonly draft: Draft;
  readonly disabled: boolean;
  readonly invalid: boolean;
  readonly describedBy: string;
  readonly write: (draft: Draft) => void;
  readonly leave: () => void;
}
