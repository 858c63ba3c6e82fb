// Converts a tool's JSON schema to form fields. Never fails: unsupported parts become JSON fields.

import type { JsonValue } from '../../ipc';

import { isObject, type Common, type Field, type ObjectField, type Scalar, type Start } from './plan';

/**
 * The form of `schema`. `value` adds a JSON field for each argument not in the schema, so that a form never
 * hides a part of a call.
 */
export function planOf(schema: JsonValue, value?: JsonValue, reader: Reader = 'model'): ObjectField {
  const field = fieldOf('', schema, true, { root: schema, seen: ['#'], reader }, value);
  if (field.kind === 'object') return field;
  return { ...common('', schema, true, reader), kind: 'object', fields: unknownFields([], value) };
}

/** The audience of a schema's descriptions. Those for a model are not shown. */
export type Reader = 'model' | 'person';

/** The initial values used by a schema's top-level fields. */
export function startsIn(schema: JsonValue): ReadonlySet<Start> {
  return new Set(planOf(schema).fields.flatMap(({ starts }) => starts ?? []));
}

/** The form with its initial values; presets of the schema take precedence. */
export function started(plan: ObjectField, given: Readonly<Partial<Record<Start, string>>>): ObjectField {
  const fields = plan.fields.map((field) => {
    const value = field.starts === undefined ? undefined : given[field.starts];
    return value === undefined || field.preset !== undefined ? field : { ...field, preset: value };
  });
  return { ...plan, fields };
}

/** The record fields whose values a form offers. */
export function valuesIn(schema: JsonValue): string[] {
  return [...new Set(planOf(schema).fields.flatMap(({ valuesFrom }) => valuesFrom ?? []))];
}

/** `next_contact` → "Next contact". */
export function labelOf(key: string): string {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Known {
  root: JsonValue;
  /** Followed references, so that a recursive schema ends in a JSON field. */
  seen: string[];
  reader: Reader;
}

type SchemaObject = { [key: string]: JsonValue };

function fieldOf(key: string, given: JsonValue, required: boolean, known: Known, value?: JsonValue): Field {
  const { schema, nullable, seen, circular } = simplify(given, known);
  const inside = { ...known, seen };
  const base: Common = { ...common(key, schema, required, known.reader), nullable };
  const json: Field = { ...base, kind: 'json', schema: inline(given, known) };
  if (circular || !isObject(schema)) return json;

  const options = optionsOf(schema);
  if (options !== null) return options.length > 0 ? { ...base, kind: 'choice', options } : json;

  const types = typesOf(schema);
  const scalar = types.every((type) => type === 'string' || type === 'number' || type === 'integer');
  if (schema.format === 'decimal' && scalar)
    return { ...base, kind: 'decimal', asText: types.length === 0 || types.includes('string'), ...range(schema) };
  // An amount with its currency, such as 120 USD.
  if (schema.format === 'amount' && scalar) return { ...base, ...textField(key, schema) };
  if (isEither(schema, types)) return { ...base, kind: 'either', schema: inline(schema, known) };
  if (types.length !== 1) return json;
  switch (types[0]) {
    case 'string':
      return schema.format === 'date' ? { ...base, kind: 'date' } : { ...base, ...textField(key, schema) };
    case 'number':
    case 'integer':
      return { ...base, kind: 'number', whole: types[0] === 'integer', ...range(schema) };
    case 'boolean':
      return { ...base, kind: 'switch' };
    case 'array': {
      const item = isObject(schema.items) ? fieldOf('', schema.items, true, inside) : json;
      if (item.kind === 'object' || item.kind === 'json' || item.kind === 'list' || item.kind === 'switch') return json;
      return { ...base, kind: 'list', item: { ...item, label: base.label }, ...sized(schema, 'minItems', 'maxItems') };
    }
    case 'object':
      return objectField(base, schema, key === '' && given === known.root, inside, value) ?? json;
    default:
      return json;
  }
}

/** A field decided elsewhere is hidden, unless it already has a value. */
function isHidden(schema: JsonValue): boolean {
  return isObject(schema) && schema['x-form'] === 'hidden';
}

function objectField(
  base: Common,
  schema: SchemaObject,
  isRoot: boolean,
  known: Known,
  value?: JsonValue,
): ObjectField | null {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const needed = Array.isArray(schema.required) ? schema.required : [];
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  // An object with free keys has no fields.
  if (!isRoot && (Object.keys(properties).length === 0 || open)) return null;
  const given = isObject(value) ? value : {};
  const shown = Object.entries(properties).filter(([key, inner]) => !isHidden(inner) || given[key] !== undefined);
  const fields = shown.map(([key, inner]) => fieldOf(key, inner, needed.includes(key), known, given[key]));
  return { ...base, kind: 'object', fields: [...fields, ...unknownFields(Object.keys(properties), value)] };
}

function unknownFields(knownKeys: string[], value?: JsonValue): Field[] {
  if (!isObject(value)) return [];
  return Object.keys(value)
    .filter((key) => !knownKeys.includes(key))
    .map((key) => ({ ...common(key, true, false, 'model'), kind: 'json', schema: true }));
}

function textField(key: string, schema: SchemaObject) {
  const { min, max } = sized(schema, 'minLength', 'maxLength');
  const long =
    ['content', 'text', 'body', 'source', 'prompt', 'old', 'new'].includes(key) && (max === undefined || max > 200);
  const pattern = typeof schema.pattern === 'string' ? { pattern: schema.pattern } : {};
  // Replacing text with nothing, and an empty note, are valid.
  const mayBeEmpty = (key === 'new' || key === 'content') && (min ?? 0) === 0;
  return {
    kind: 'text' as const,
    long,
    mayBeEmpty,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...pattern,
    ...(schema.format === 'note' || schema['x-note'] === true || typeof schema['x-record'] === 'string' ? { note: true as const } : {}),
  };
}

function common(key: string, schema: JsonValue, required: boolean, reader: Reader): Common {
  const given = isObject(schema) ? schema : {};
  const meaning = textOf(given.description).trim();
  return {
    key,
    label: textOf(given['x-label']) || textOf(given.title) || labelOf(key),
    help: textOf(given['x-help']) || (reader === 'person' ? meaning : ''),
    meaning,
    required,
    nullable: false,
    ...(given.default === undefined || given.default === null ? {} : { preset: given.default }),
    ...(given['x-starts'] === 'today' || given['x-starts'] === 'currency' ? { starts: given['x-starts'] } : {}),
    ...(typeof given['x-choices-from'] === 'string' ? { choicesFrom: given['x-choices-from'] } : {}),
    ...(textsOf(given['x-values-from']).length > 0 ? { valuesFrom: textsOf(given['x-values-from']) } : {}),
    ...(given['x-values'] === 'only' || given['x-values'] === 'part' ? { values: given['x-values'] } : {}),
    ...(textsOf(given['x-values-also']).length > 0 ? { also: textsOf(given['x-values-also']) } : {}),
    ...(typeof given['x-record'] === 'string' ? { record: given['x-record'] } : {}),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Resolves references and removes `null` from a schema, keeping its description and preset. */
function simplify(
  given: JsonValue,
  known: Known,
): { schema: JsonValue; nullable: boolean; seen: string[]; circular: boolean } {
  let schema: JsonValue = given;
  let nullable = false;
  const seen = [...known.seen];
  for (;;) {
    if (!isObject(schema)) return { schema, nullable, seen, circular: false };
    const { $ref, ...beside } = schema as SchemaObject & { $ref?: JsonValue };
    if (typeof $ref === 'string') {
      if (seen.includes($ref)) return { schema, nullable, seen, circular: true };
      seen.push($ref);
      const target = resolve($ref, known.root);
      if (!isObject(target)) return { schema: true, nullable, seen, circular: false };
      schema = { ...target, ...beside };
      continue;
    }
    const only = onlyBranch(schema);
    if (only === null) break;
    nullable ||= only.nullable;
    schema = only.schema;
  }
  const { schema: rest, nullable: more } = withoutNull(schema);
  return { schema: rest, nullable: nullable || more, seen, circular: false };
}

/** The only non-null branch of an `anyOf`, `oneOf` or `allOf`. */
function onlyBranch(schema: SchemaObject): { schema: JsonValue; nullable: boolean } | null {
  for (const word of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[word];
    if (!Array.isArray(branches)) continue;
    const real = branches.filter((branch) => !isNullSchema(branch));
    const [first] = real;
    if (real.length !== 1 || !isObject(first) || 'const' in first) continue;
    const { [word]: _taken, ...beside } = schema;
    return { schema: { ...first, ...beside }, nullable: real.length < branches.length };
  }
  return null;
}

function withoutNull(schema: SchemaObject): { schema: SchemaObject; nullable: boolean } {
  let nullable = false;
  const rest: SchemaObject = { ...schema };
  const take = (word: string, isNull: (item: JsonValue) => boolean) => {
    const items = rest[word];
    if (!Array.isArray(items) || !items.some(isNull)) return;
    nullable = true;
    rest[word] = items.filter((item) => !isNull(item));
  };
  take('type', (item) => item === 'null');
  take('enum', (item) => item === null);
  take('oneOf', isNullSchema);
  take('anyOf', isNullSchema);
  return { schema: rest, nullable };
}

function isNullSchema(schema: JsonValue): boolean {
  return isObject(schema) && (schema.type === 'null' || ('const' in schema && schema.const === null));
}

function optionsOf(schema: SchemaObject): { value: Scalar; label: string }[] | null {
  if (Array.isArray(schema.enum)) {
    return schema.enum.every(isScalar)
      ? schema.enum.map((value) => ({ value: value as Scalar, label: String(value) }))
      : [];
  }
  if (isScalar(schema.const)) return [{ value: schema.const, label: String(schema.const) }];
  for (const word of ['oneOf', 'anyOf']) {
    const branches = schema[word];
    if (!Array.isArray(branches)) continue;
    const options: { value: Scalar; label: string }[] = [];
    for (const branch of branches) {
      if (!isObject(branch)) return null;
      if (isScalar(branch.const)) {
        const label = typeof branch.title === 'string' ? branch.title : String(branch.const);
        options.push({ value: branch.const, label });
      } else if (Array.isArray(branch.enum) && branch.enum.every(isScalar)) {
        options.push(...branch.enum.map((value) => ({ value: value as Scalar, label: String(value) })));
      } else return null;
    }
    return options;
  }
  return null;
}

function typesOf(schema: SchemaObject): string[] {
  if (typeof schema.type === 'string') return [schema.type];
  if (Array.isArray(schema.type)) return schema.type.filter((type) => typeof type === 'string');
  return isObject(schema.properties) ? ['object'] : [];
}

/** Whether a schema accepts exactly text and numbers, however it is expressed. */
function isEither(schema: SchemaObject, types: string[]): boolean {
  const branches = schema.anyOf ?? schema.oneOf;
  const ofBranch = (branch: JsonValue) => {
    const own = isObject(branch) ? typesOf(branch) : [];
    return own.length > 0 ? own : ['anything'];
  };
  const kinds = Array.isArray(branches) && types.length === 0 ? branches.flatMap(ofBranch) : types;
  const isOne = (kind: string) => kind === 'string' || isNumeric(kind);
  return kinds.includes('string') && kinds.some(isNumeric) && kinds.every(isOne);
}

function isNumeric(type: string): boolean {
  return type === 'number' || type === 'integer';
}

function range(schema: SchemaObject) {
  return sized(schema, 'minimum', 'maximum');
}

function sized(schema: SchemaObject, low: string, high: string): { min?: number; max?: number } {
  const min = schema[low];
  const max = schema[high];
  return { ...(typeof min === 'number' ? { min } : {}), ...(typeof max === 'number' ? { max } : {}) };
}

function resolve(pointer: string, root: JsonValue): JsonValue | undefined {
  if (!pointer.startsWith('#')) return undefined;
  let here: JsonValue | undefined = root;
  for (const part of pointer.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replace(/~1/g, '/').replace(/~0/g, '~');
    here = isObject(here) ? here[key] : Array.isArray(here) ? here[Number(key)] : undefined;
  }
  return here;
}

/** A self-contained part of a schema: with the definitions it references. */
function inline(schema: JsonValue, known: Known): JsonValue {
  if (!isObject(schema) || !isObject(known.root)) return schema;
  const { $defs, definitions } = known.root as SchemaObject;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    ...schema,
  };
}

function isScalar(value: JsonValue | undefined): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
