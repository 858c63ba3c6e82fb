// The fields of a form, and what is typed into them.

import type { JsonValue } from '../../ipc';

/** What stands in a field: text, a switch, rows, or fields by key; `undefined` is untouched. */
export type Draft = string | boolean | Draft[] | { [key: string]: Draft } | undefined;

export type Scalar = string | number | boolean;

export interface Common {
  key: string;
  label: string;
  /** Words for a person below the field. */
  help: string;
  /** What the schema tells a model about it. */
  meaning: string;
  required: boolean;
  /** An empty required field is sent as `null`. */
  nullable: boolean;
  preset?: JsonValue;
  /** What a new form begins with where the schema has no preset: `x-starts` of the schema. */
  starts?: Start;
  /** The list of a proposal whose entries it is chosen from: `x-choices-from` of the schema. */
  choicesFrom?: string;
  /** The fields of records whose values are offered, as `type.field`: `x-values-from` of the schema. */
  valuesFrom?: readonly string[];
  /** `only`: it has to be one of them; `part`: any text may look for them; else another value is a new one. */
  values?: 'only' | 'part';
  /** Words that it takes beside the values. */
  also?: readonly string[];
  /** The values themselves, once they are read. */
  known?: readonly string[];
  /** The record type it names one of: `x-record` of the schema. */
  record?: string;
}

/** This day, or the currency that most of the skill's records have. */
export type Start = 'today' | 'currency';

/** `note`: the name of a note. */
export type ScalarField = Common &
  (
    | { kind: 'text'; long: boolean; mayBeEmpty: boolean; min?: number; max?: number; pattern?: string; note?: true }
    | { kind: 'decimal'; asText: boolean; min?: number; max?: number }
    | { kind: 'number'; whole: boolean; min?: number; max?: number }
    /** Text or a number, whichever what is typed reads as. */
    | { kind: 'either'; schema: JsonValue }
    | { kind: 'date' }
    /** `folded`: in a list to be opened, however few. */
    | { kind: 'choice'; options: { value: Scalar; label: string }[]; folded?: true }
  );

export type Field =
  | ScalarField
  | (Common & { kind: 'switch' })
  | (Common & { kind: 'list'; item: ScalarField; min?: number; max?: number })
  | ObjectField
  | (Common & { kind: 'json'; schema: JsonValue });

export type ObjectField = Common & { kind: 'object'; fields: Field[] };
