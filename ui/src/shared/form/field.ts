// The fields of a form, and their drafts.

import type { JsonValue } from '../../ipc';

/** A field's draft: text, a switch, rows, or fields by key; `undefined` is untouched. */
export type Draft = string | boolean | Draft[] | { [key: string]: Draft } | undefined;

export type Scalar = string | number | boolean;

export interface Common {
  key: string;
  label: string;
  /** Help for users, below the field. */
  help: string;
  /** The schema's description for the model. */
  meaning: string;
  required: boolean;
  /** An empty required field is sent as `null`. */
  nullable: boolean;
  preset?: JsonValue;
  /** Initial value of a new form without a preset: `x-starts` of the schema. */
  starts?: Start;
  /** The list in a proposal that it selects from: `x-choices-from` of the schema. */
  choicesFrom?: string;
  /** Record fields whose values are offered, as `type.field`: `x-values-from` of the schema. */
  valuesFrom?: readonly string[];
  /** `only`: must be one of them; `part`: any text, for filters; otherwise other values are marked as new. */
  values?: 'only' | 'part';
  /** Accepted words besides the values. */
  also?: readonly string[];
  /** The values, once loaded. */
  known?: readonly string[];
  /** The record type of its target: `x-record` of the schema. */
  record?: string;
}

/** Today, or the most common currency in the skill's records. */
export type Start = 'today' | 'currency';

/** `note`: the name of a note. */
export type ScalarField = Common &
  (
    | { kind: 'text'; long: boolean; mayBeEmpty: boolean; min?: number; max?: number; pattern?: string; note?: true }
    | { kind: 'decimal'; asText: boolean; min?: number; max?: number }
    | { kind: 'number'; whole: boolean; min?: number; max?: number }
    /** Text or a number, depending on the input. */
    | { kind: 'either'; schema: JsonValue }
    | { kind: 'date' }
    /** `folded`: always a menu, even for few options. */
    | { kind: 'choice'; options: { value: Scalar; label: string }[]; folded?: true }
  );

export type Field =
  | ScalarField
  | (Common & { kind: 'switch' })
  | (Common & { kind: 'list'; item: ScalarField; min?: number; max?: number })
  | ObjectField
  | (Common & { kind: 'json'; schema: JsonValue });

export type ObjectField = Common & { kind: 'object'; fields: Field[] };
