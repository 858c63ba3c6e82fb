// Facts about a provider: where its models run, the result of its last request, and prices.

import type { HealthState, ModelPrice, PassedOn, ProviderHealth, ProviderRow, UserError } from '../ipc';
import { clockTime, modelName } from './format';

/** The destination of a model's input. */
export interface ModelPlace {
  /** `unknown`: its server is local, may pass it on to another host, and did not respond. */
  readonly where: 'here' | 'elsewhere' | 'unknown';
  /** The server's host if unknown. */
  readonly host: string;
  /** Whether notes may be sent there. */
  readonly agreed: boolean;
}

interface Server {
  readonly local: boolean;
  readonly host: string;
  readonly agreed?: boolean;
  readonly passed_on?: readonly PassedOn[];
  readonly problem?: UserError | null;
}

/** A local server may run single models elsewhere. `name`: the model without its provider. */
export function placeOf(server: Server, name: string): ModelPlace {
  const elsewhere = server.passed_on?.find(({ model }) => sameModel(model, name));
  if (elsewhere) return { where: 'elsewhere', host: elsewhere.host, agreed: elsewhere.agreed };
  const where = !server.local ? 'elsewhere' : server.problem ? 'unknown' : 'here';
  return { where, host: server.host, agreed: server.agreed ?? server.local };
}

/**
 * Whether `listed`, one of a provider's models, is the one that `name` refers to. An exact id takes
 * precedence. Otherwise names are compared like servers do, ignoring case and a `:latest` tag.
 */
export function isMeant(models: readonly string[], listed: string, name: string): boolean {
  return listed === name || (!models.includes(name) && sameModel(listed, name));
}

/** The same for `provider/model`, as in a chat or the settings. */
export function isInUse({ id, models }: Pick<ProviderRow, 'id' | 'models'>, listed: string, model: string | null): boolean {
  return model !== null && model.startsWith(`${id}/`) && isMeant(models, listed, model.slice(id.length + 1));
}

/** The price configured for a model: by its id, else by an equivalent name. */
export function priceOf({ models, prices }: Pick<ProviderRow, 'models' | 'prices'>, name: string): ModelPrice | undefined {
  return prices.find(({ model }) => model === name) ?? prices.find(({ model }) => isMeant(models, name, model));
}

function sameModel(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

/** Normalises like servers do: A to Z in lower case, and `:latest` without a tag. */
function folded(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/:latest$/, '');
}

/** For `provider/model`; null if its provider is not listed. */
export function placeIn(providers: readonly ProviderRow[], model: string): ModelPlace | null {
  const at = model.indexOf('/');
  const server = providers.find(({ id }) => id === model.slice(0, at));
  return server ? placeOf(server, model.slice(at + 1)) : null;
}

/** "qwen3:14b runs on this machine, at 127.0.0.1:11434" */
export function placeText(model: string, { where, host }: ModelPlace): string {
  const name = modelName(model);
  switch (where) {
    case 'here':
      return `${name} runs on this machine, at ${host}`;
    case 'elsewhere':
      return `${name}: messages and notes go to ${host}`;
    case 'unknown':
      return `${name}: unknown host, ${host} does not say where it runs`;
  }
}

/** The newest known health: events are more recent than lists. */
export function healthOf(provider: ProviderRow, reported: Readonly<Record<string, ProviderHealth>>): ProviderHealth | null {
  return reported[provider.id] ?? provider.health;
}

/** "answered 10:02", "does not answer since 10:02" */
export function healthText({ state, at }: ProviderHealth): string {
  const said: Record<HealthState, string> = {
    answered: 'answered',
    rate_limited: 'rate limited since',
    unreachable: 'not answering since',
    refused_key: 'key refused at',
    failed: 'failed at',
  };
  return `${said[state]} ${clockTime(at)}`;
}

interface Used {
  readonly input: number;
  /** Included in `input`. */
  readonly cached: number;
  readonly output: number;
}

/** The cost of a request; null without a configured price. */
export function costText(used: Used, price: ModelPrice | undefined): string | null {
  if (!price) return null;
  const input = Number(price.input);
  const cached = price.cached === null ? input : Number(price.cached);
  const cost = ((used.input - used.cached) * input + used.cached * cached + used.output * Number(price.output)) / 1e6;
  const digits = cost > 0 && cost < 0.1 ? 4 : 2;
  if (cost > 0 && cost < 0.00005) return `< ${money(0.0001, price.currency, 4)}`;
  return money(cost, price.currency, digits);
}

/** "$1.25 in, $10.00 out per million tokens" */
export function priceText({ input, output, currency }: ModelPrice): string {
  return `${money(Number(input), currency, 2)} in, ${money(Number(output), currency, 2)} out per million tokens`;
}

function money(value: number, currency: string, digits: number): string {
  const options = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const;
  return new Intl.NumberFormat('en', { ...options, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}
