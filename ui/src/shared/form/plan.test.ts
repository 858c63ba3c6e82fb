import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../../ipc/protocol.generated';
import { argsOf, check, draftOf, metaOf, type Draft, type Field } from './plan';
import { labelOf, planOf } from './schema';

/** The fields of a schema, one line each: `key kind[ *] [| beside the label]`. */
function fieldLines(schema: JsonValue): string[] {
  return planOf(schema).fields.map(
    (field) => `${field.key} ${kindOf(field)}${field.required ? ' *' : ''} | ${metaOf(field)}`,
  );
}

function kindOf(field: Field): string {
  if (field.kind === 'list') return `list of ${field.item.kind}`;
  if (field.kind === 'object') return `{${field.fields.map((inner) => inner.key).join(' ')}}`;
  if (field.kind === 'choice') return field.options.map((option) => option.label).join('/');
  return field.kind;
}

/** The arguments of a draft, or the problems that prevent sending it. */
function send(schema: JsonValue, draft: Draft): JsonValue | undefined | string[] {
  const plan = planOf(schema);
  const problems = check(plan, draft);
  if (problems.length > 0)
    return problems.map(({ path, message, fix }) => [`${path}: ${message}`, fix?.label].filter(Boolean).join(' '));
  return argsOf(plan, draft);
}

const object = (properties: { [key: string]: JsonValue }, required: string[] = []): JsonValue => ({
  type: 'object',
  properties,
  required,
});

describe('a number with too many digits', () => {
  const many = '12345678901234567890.5';
  const given = (properties: { [key: string]: JsonValue }, draft: Draft) => send(object(properties, ['a']), { a: draft });

  it('is refused if sent as a number, not if sent as text', () => {
    expect(given({ a: { type: 'number', format: 'decimal' } }, many)).toEqual([
      'a: It has too many digits to be sent exactly. Use 12345678901234567000',
    ]);
    expect(given({ a: { type: 'string', format: 'decimal' } }, many)).toEqual({ a: many });
    expect(given({ a: { type: 'number', format: 'decimal' } }, '1250.50')).toEqual({ a: 1250.5 });
  });

  it.each([
    ['{"id": 12345678901234567890}', '12345678901234567890'],
    ['[1, [-0.12345678901234567891]]', '-0.12345678901234567891'],
    ['{"id": 1e999}', '1e999'],
  ])('is refused inside JSON: %s', (text, number) => {
    expect(given({ a: {} }, text)).toEqual([`a: ${number} has too many digits to be sent exactly.`]);
  });

  it.each(['{"id": "12345678901234567890", "12345678901234567890": 1}', String.raw`["a \" 12345678901234567890"]`, '[1.50, -2e3, 0.1]'])(
    'is accepted within text, or if exact: %s',
    (text) => expect(given({ a: {} }, text)).toEqual({ a: JSON.parse(text) as JsonValue }),
  );
});

describe('the fields of a schema', () => {
  it('has one kind of field per kind of value', () => {
    const schema = object(
      {
        name: { type: 'string' },
        content: { type: 'string' },
        date: { type: 'string', format: 'date' },
        amount: { type: 'string', format: 'decimal' },
        price: { type: ['string', 'number'], format: 'decimal' },
        limit: { type: 'integer', minimum: 1 },
        regex: { type: 'boolean' },
        kind: { enum: ['buy', 'sell'] },
        tags: { type: 'array', items: { type: 'string' } },
        config: { type: 'object', properties: { folder: { type: 'string' } } },
      },
      ['name'],
    );
    expect(fieldLines(schema)).toEqual([
      'name text * | ',
      'content text | optional',
      'date date | date, optional',
      'amount decimal | number, optional',
      'price decimal | number, optional',
      'limit number | whole number, optional',
      'regex switch | optional',
      'kind buy/sell | optional',
      'tags list of text | list, optional',
      'config {folder} | optional',
    ]);
  });

  it('counts the options that do not fit side by side', () => {
    const stage = { enum: ['lead', 'contacted', 'qualified', 'proposal', 'won', 'lost'] };
    expect(fieldLines(object({ stage }))).toEqual([
      'stage lead/contacted/qualified/proposal/won/lost | one of 6, optional',
    ]);
  });

  it('takes null out of a type, an enum and a union', () => {
    const schema = object({
      a: { type: ['string', 'null'] },
      b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      c: { enum: ['fifo', 'average', null] },
      d: { anyOf: [{ $ref: '#/$defs/Stage' }, { type: 'null' }] },
    });
    const withDefs = {
      ...(schema as object),
      $defs: { Stage: { oneOf: [{ const: 'lead' }, { const: 'won' }] } },
    } as JsonValue;
    expect(fieldLines(withDefs)).toEqual([
      'a text | optional',
      'b number | whole number, optional',
      'c fifo/average | optional',
      'd lead/won | optional',
    ]);
  });

  it('uses the description beside a reference', () => {
    const schema: JsonValue = {
      type: 'object',
      properties: { from: { $ref: '#/$defs/Day', description: 'First day' } },
      $defs: { Day: { type: 'string', format: 'date', description: 'A day' } },
    };
    expect(planOf(schema).fields[0]).toMatchObject({ kind: 'date', meaning: 'First day', help: '' });
  });

  it.each<[string, JsonValue]>([
    ['two kinds of value', { type: ['string', 'object'] }],
    ['text, a number or something else', { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'object' }] }],
    ['text, a number or what is said elsewhere', { anyOf: [{ type: 'string' }, { type: 'number' }, { minimum: 3 }] }],
    [
      'a union of objects',
      {
        oneOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { type: 'object', properties: {} },
        ],
      },
    ],
    ['free keys', { type: 'object', additionalProperties: { type: 'string' } }],
    ['a list of objects', { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } }],
    ['anything', true],
    ['anything, with words', { description: 'anything' }],
    ['a reference to nothing', { $ref: '#/$defs/Missing' }],
    ['a schema that contains itself', { $ref: '#' }],
  ])('leaves %s to a JSON field', (_, part) => {
    expect(fieldLines(object({ part }))).toEqual(['part json | JSON, optional']);
  });

  it.each<[string, JsonValue]>([
    ['a list of types', { type: ['string', 'number'] }],
    ['a union', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['a union with null', { oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] }],
    ['a union of words and a number', { anyOf: [{ type: 'string', enum: ['auto'] }, { type: 'number' }] }],
  ])('has one field for text or a number: %s', (_, part) => {
    expect(fieldLines(object({ part }))).toEqual(['part either | text or number, optional']);
  });

  it('has a JSON field for an argument not in the schema', () => {
    const plan = planOf(object({ name: { type: 'string' } }), { name: 'Jane', speed: 3 });
    expect(plan.fields.map((field) => field.key)).toEqual(['name', 'speed']);
    expect(argsOf(plan, draftOf(plan, { name: 'Jane', speed: 3 }))).toEqual({ name: 'Jane', speed: 3 });
  });

  it('has no field if the schema has none', () => {
    expect(planOf({ type: 'object' }).fields).toEqual([]);
    expect(planOf(true).fields).toEqual([]);
    expect(argsOf(planOf(true), undefined)).toEqual({});
  });

  it.each([
    ['next_contact', 'Next contact'],
    ['asOf', 'As of'],
    ['timeout_s', 'Timeout s'],
  ])('labels %s "%s"', (key, label) => expect(labelOf(key)).toBe(label));
});

describe('what a draft sends', () => {
  const schema = object(
    {
      name: { type: 'string' },
      amount: { type: ['string', 'number'], format: 'decimal' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      recurring: { type: 'boolean' },
      stage: { enum: ['lead', 'won'] },
      tags: { type: 'array', items: { type: 'string' } },
      next_contact: { type: 'string', format: 'date' },
      where: { type: 'array', items: { type: 'object' } },
    },
    ['name'],
  );

  it('omits empty values', () => {
    expect(send(schema, { name: 'Jane', amount: '', limit: ' ', tags: ['', ''], next_contact: '' })).toEqual({
      name: 'Jane',
    });
  });

  const either: JsonValue = { anyOf: [{ type: 'string' }, { type: 'number' }] };

  it.each<[string, string | number]>([
    ['42', 42],
    [' -0.10 ', -0.1],
    ['Acme', 'Acme'],
    ['120 USD', '120 USD'],
    // Looks like a number, but parses differently or not at all.
    ['007', '007'],
    ['+49', '+49'],
    ['12,5', '12,5'],
    ['12e5', '12e5'],
    ['123456789012345678901', '123456789012345678901'],
    ['0.1000000000000000055', '0.1000000000000000055'],
    // Quoted, so it is text.
    ['"42"', '42'],
    ['"Acme"', '"Acme"'],
  ])('sends %s as text or as a number', (typed, sent) => {
    expect(send(object({ part: either }), { part: typed })).toEqual({ part: sent });
  });

  it('sends a number only if the schema accepts it', () => {
    const count = object({ part: { type: ['string', 'integer'] } });
    expect(send(count, { part: '2' })).toEqual({ part: 2 });
    expect(send(count, { part: '2.5' })).toEqual({ part: '2.5' });
    const width = object({ part: { anyOf: [{ enum: ['auto'], type: 'string' }, { type: 'number' }] } });
    expect(send(width, { part: 'auto' })).toEqual({ part: 'auto' });
    expect(send(width, { part: 'wide' })).toEqual([expect.stringMatching(/^part: /)]);
  });

  it('keeps decimals as typed text', () => {
    expect(send(schema, { name: 'Jane', amount: '0.10' })).toEqual({ name: 'Jane', amount: '0.10' });
  });

  it('sends each value with its type', () => {
    const draft = { name: 'Jane', limit: '20', recurring: false, stage: 'won', tags: ['vip', ''], where: '[{"a": 1}]' };
    expect(send(schema, draft)).toEqual({
      name: 'Jane',
      limit: 20,
      recurring: false,
      stage: 'won',
      tags: ['vip'],
      where: [{ a: 1 }],
    });
  });

  it('reports missing values', () => expect(send(schema, {})).toEqual(['name: Fill in name']));

  it('sends null for a required value that may be null', () => {
    expect(send(object({ value: { type: ['string', 'null'] } }, ['value']), {})).toEqual({ value: null });
  });

  it('may replace text with nothing', () => {
    const edit = object({ path: { type: 'string' }, old: { type: 'string' }, new: { type: 'string' } }, [
      'path',
      'old',
      'new',
    ]);
    expect(send(edit, { path: 'a.md', old: 'x' })).toEqual({ path: 'a.md', old: 'x', new: '' });
  });

  it('requires nested values of an optional object only if it is used', () => {
    const nested = object({ address: object({ street: { type: 'string' }, city: { type: 'string' } }, ['city']) });
    expect(send(nested, {})).toEqual({});
    expect(send(nested, { address: { street: 'Mill Lane 2' } })).toEqual(['address.city: Fill in city']);
    expect(send(nested, { address: { city: 'Ulm' } })).toEqual({ address: { city: 'Ulm' } });
  });

  it.each<[string, { [key: string]: Draft }, string]>([
    [
      'a date that does not exist',
      { next_contact: '2026-11-31' },
      'next_contact: November has 30 days. Use 2026-11-30',
    ],
    ['a decimal comma', { amount: '12,5' }, 'amount: Write a plain number. Use 12.5'],
    ['words for a number', { amount: 'a lot' }, 'amount: Write a plain number, like 1250.50'],
    ['half of a whole number', { limit: '2.5' }, 'limit: Write a whole number. Use 2'],
    ['too much', { limit: '1000' }, 'limit: At most 100. Use 100'],
    ['a choice that is none', { stage: 'nego' }, 'stage: “nego” is not one of the choices'],
    ['JSON of the wrong form', { where: '{"a": 1}' }, 'where: Type "object" is invalid. Expected "array"'],
  ])('refuses %s', (_, draft, problem) => expect(send(schema, { name: 'Jane', ...draft })).toEqual([problem]));

  it('reports the position of a JSON error', () => {
    expect(send(schema, { name: 'Jane', where: '[{]' })).toEqual([expect.stringMatching(/^where: Not JSON: /)]);
  });

  it('names the row of a list', () => {
    const days = object({ days: { type: 'array', items: { type: 'string', format: 'date' } } });
    expect(send(days, { days: ['2026-02-28', '2026-02-30'] })).toEqual([
      'days.1: February 2026 has 28 days. Use 2026-02-28',
    ]);
  });
});

describe('a draft from arguments', () => {
  it('sends the same arguments again', () => {
    const args = {
      title: 'Harborline',
      value: '12400.00',
      count: 2,
      hot: true,
      tags: ['a'],
      extra: { x: [1] },
      inner: { day: '2026-11-21' },
    };
    const plan = planOf(
      object({
        title: { type: 'string' },
        value: { type: 'string', format: 'decimal' },
        count: { type: 'integer' },
        hot: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        extra: {},
        inner: object({ day: { type: 'string', format: 'date' } }),
      }),
      args,
    );
    expect(argsOf(plan, draftOf(plan, args))).toEqual(args);
  });

  it.each([42, 0.1, 1e21, 1e-7, '42', '"42"', '007', 'Acme', '"Acme"', '1e+21'])('round-trips %j', (value) => {
    const plan = planOf(object({ part: { type: ['string', 'number'] }, all: { type: 'array', items: { type: ['string', 'number'] } } }));
    const args = { part: value, all: [value] };
    expect(argsOf(plan, draftOf(plan, args))).toEqual(args);
  });

  it('includes the presets of the schema', () => {
    const plan = planOf(
      object({ limit: { type: 'integer', default: 20 }, method: { enum: ['fifo', 'average'], default: 'fifo' } }),
    );
    expect(draftOf(plan, undefined)).toEqual({ limit: '20', method: 'fifo' });
  });
});
