// Renders a JSON value: a list of objects as a table, an object as names and values, anything else as JSON.
// Invisible characters are shown.

import { useMemo } from 'react';

import type { JsonValue } from '../ipc';
import { revealed } from './invisible';
import { Linked } from './Linked';
import { Revealed } from './Revealed';
import { Table, type Column } from './Table';

type JsonObject = Record<string, JsonValue>;

export type ValueShape = 'table' | 'pairs' | 'json';

export function ValueView({ value, label, dense }: { value: JsonValue; label: string; dense?: boolean }) {
  switch (shapeOf(value)) {
    case 'table':
      return <Rows rows={value as JsonObject[]} label={label} dense={dense ?? false} />;
    case 'pairs':
      return <Pairs value={value as JsonObject} label={label} />;
    case 'json':
      return typeof value === 'string' ? (
        <p className="selectable px-3 py-2 text-small whitespace-pre-wrap">
          <Linked text={value} />
        </p>
      ) : (
        <JsonView value={value} />
      );
  }
}

export function JsonView({ value }: { value: JsonValue }) {
  return (
    <pre className="selectable overflow-x-auto px-3 py-2 font-mono text-small whitespace-pre-wrap text-fg-2">
      <Revealed text={JSON.stringify(value, null, 2)} />
    </pre>
  );
}

export function shapeOf(value: JsonValue): ValueShape {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? 'table' : 'json';
  return isObject(value) && Object.keys(value).length > 0 ? 'pairs' : 'json';
}

function Rows({ rows, label, dense }: { rows: JsonObject[]; label: string; dense: boolean }) {
  const columns = useMemo(() => columnsOf(rows), [rows]);
  return (
    <div className="overflow-x-auto">
      <Table columns={columns} rows={rows} label={revealed(label)} dense={dense} />
    </div>
  );
}

function columnsOf(rows: JsonObject[]): Column<JsonObject>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return keys.map((key) => {
    const figure = rows.every((row) => row[key] === undefined || row[key] === null || isFigure(row[key]));
    return {
      key,
      head: <Revealed text={headOf(key)} />,
      figure,
      cell: (row) => <Cell value={row[key] ?? null} />,
      sort: (row) => (figure ? sizeOf(row[key] ?? null) : cellText(row[key] ?? null)),
    };
  });
}

function Pairs({ value, label }: { value: JsonObject; label: string }) {
  return (
    <dl aria-label={revealed(label)} className="grid grid-cols-[minmax(6rem,max-content)_1fr] gap-x-4 gap-y-1 px-3 py-2 text-small">
      {Object.entries(value).map(([key, part]) => (
        <div key={key} className="contents">
          <dt className="text-fg-3">
            <Revealed text={headOf(key)} />
          </dt>
          <dd className="selectable min-w-0 text-fg">
            {shapeOf(part) === 'table' ? (
              <div className="overflow-hidden rounded-control border border-line">
                <Rows rows={part as JsonObject[]} label={headOf(key)} dense />
              </div>
            ) : (
              <Cell value={part} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Cell({ value }: { value: JsonValue }) {
  if (value === null || value === '') return <span className="text-fg-3">none</span>;
  if (isObject(value) || (Array.isArray(value) && value.some((part) => isObject(part) || Array.isArray(part))))
    return (
      <code className="font-mono break-all">
        <Revealed text={JSON.stringify(value)} />
      </code>
    );
  return <Linked text={Array.isArray(value) ? value.map(cellText) : cellText(value)} />;
}

function cellText(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `next_contact` → "Next contact" */
function headOf(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A number, or a decimal string, possibly with a sign or as a percentage. */
function isFigure(value: JsonValue): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[+−-]?\d+(\.\d+)?( ?%)?$/.test(value));
}

function sizeOf(value: JsonValue): number {
  if (value === null) return Number.NEGATIVE_INFINITY;
  return Number(String(value).replace('−', '-').replace(/ ?%$/, ''));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
