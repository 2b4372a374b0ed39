/** Checks a call's arguments against the schema that clients see, and fills in its defaults. */
import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { type ArgumentProblem, fail, inTurns, type Steps, Yielder } from '../../engine/index.ts';
import { isObject } from '../../json/is-object.ts';
import { isWellFormed } from '../../utf16.ts';
import type { Tool } from '../dialect.ts';
import { didYouMean } from './ignored-arguments.ts';
import { plainArguments } from './plain-arguments.ts';
import type { ObjectSchema, Schema } from './schema.ts';

const validators = new WeakMap<ObjectSchema, Validator>();

type Checked = Record<string, unknown>;

export function checkArguments(tool: Tool, sent: unknown): Checked | Promise<Checked> {
  return plainArguments(tool.input, sent) ?? checkBySchema(tool, sent);
}

/** Checks long arguments over several turns of the event loop. */
export function checkBySchema(tool: Tool, sent: unknown): Checked | Promise<Checked> {
  return inTurns(checking(tool, sent), new Yielder(undefined));
}

function* checking(tool: Tool, sent: unknown): Steps<Checked> {
  const args = renamed(tool, sent ?? {});
  refuseLongLists(tool.input, args);
  let validator = validators.get(tool.input);
  if (validator === undefined) {
    // The library's types want mutable schemas; it does not change them.
    validator = new Validator(tool.input as ConstructorParameters<typeof Validator>[0], '2020-12', false);
    validators.set(tool.input, validator);
  }
  yield;
  const few = withEmptyItems(tool.input, withFewUnknown(tool.input, args));
  for (const { part, list, from } of partsOf(few)) {
    if (from > 0) yield;
    const { valid, errors } = validator.validate(part);
    if (valid) continue;
    const problems = problemsOf(errors, tool.input).map((each) => atRealIndex(each, list, from));
    fail({ kind: 'bad-arguments', problems });
  }
  const problems: ArgumentProblem[] = [];
  yield* findLoneSurrogates(args, '', problems);
  if (problems.length > 0) fail({ kind: 'bad-arguments', problems });
  return (yield* fillingIn(tool.input, args)) as Checked;
}

/**
 * The most items in a list of objects, such as edits. Each object is copied several times on its way to a thread and
 * back, and the garbage collector visits all of them in one turn.
 */
const MOST_OBJECTS = 10_000;

function refuseLongLists({ properties }: ObjectSchema, args: unknown): void {
  for (const [field, schema] of Object.entries(properties)) {
    if (!('type' in schema) || schema.type !== 'array') continue;
    if (!('type' in schema.items) || schema.items.type !== 'object') continue;
    const list = (args as Record<string, unknown>)[field];
    if (!Array.isArray(list) || list.length <= MOST_OBJECTS) continue;
    const message = `${field} has ${list.length} items, one call takes at most ${MOST_OBJECTS}`;
    fail({ kind: 'bad-arguments', problems: [{ field, missing: false, message }] });
  }
}

/** Longer lists are checked in parts: the validator is slow, and chokes on many thousands of errors. */
const ITEMS_AT_ONCE = 250;

/** Drops all but the first names that the schema does not know: nobody reads more problems than that. */
function withFewUnknown({ properties }: ObjectSchema, args: unknown): unknown {
  if (!isObject(args)) return args;
  const names = Object.keys(args);
  if (names.length <= MOST_PROBLEMS) return args;
  const few: Record<string, unknown> = {};
  let unknown = 0;
  for (const name of names) {
    if (Object.hasOwn(properties, name) || ++unknown <= MOST_PROBLEMS) {
      few[name] = args[name];
    }
  }
  return few;
}

/** Empties objects in lists that should hold none: the validator would visit all their members before refusing them. */
function withEmptyItems({ properties }: ObjectSchema, args: unknown): unknown {
  const lists = Object.entries(args as object).filter(([name, value]) => {
    const schema = properties[name];
    return Array.isArray(value) && value.some(isObject) && schema !== undefined && !holdsObjects(schema);
  }) as [string, unknown[]][];
  if (lists.length === 0) return args;
  const emptied = (item: unknown) => (isObject(item) ? {} : item);
  return {
    ...(args as object),
    ...Object.fromEntries(lists.map(([name, list]) => [name, list.map(emptied)])),
  };
}

function holdsObjects(schema: Schema): boolean {
  if (!('type' in schema)) return schema.oneOf.some(holdsObjects);
  return schema.type === 'array' && (!('type' in schema.items) || schema.items.type === 'object');
}

interface ArgumentPart {
  /** The arguments with a part of the list instead of all of it. */
  part: unknown;
  /** The list that was cut, and the index in it where the part begins. */
  list: string | undefined;
  from: number;
}

/** Splits the arguments into parts that can be checked one by one. Only long lists are cut; every part has the rest. */
function* partsOf(args: unknown): Generator<ArgumentPart> {
  const long = Object.entries(args as object).filter(
    ([, value]) => Array.isArray(value) && value.length > ITEMS_AT_ONCE,
  ) as [string, unknown[]][];
  const starts = Object.fromEntries(long.map(([name, items]) => [name, items.slice(0, ITEMS_AT_ONCE)]));
  const rest = long.length === 0 ? args : { ...(args as object), ...starts };
  yield { part: rest, list: undefined, from: 0 };
  const ones = Object.fromEntries(long.map(([name, items]) => [name, items.slice(0, 1)]));
  const least = { ...(rest as object), ...ones };
  for (const [list, items] of long) {
    for (let from = ITEMS_AT_ONCE; from < items.length; from += ITEMS_AT_ONCE) {
      yield { part: { ...least, [list]: items.slice(from, from + ITEMS_AT_ONCE) }, list, from };
    }
  }
}

/** Corrects the index in a problem, from the part that was checked to the whole list. */
function atRealIndex(problem: ArgumentProblem, list: string | undefined, from: number): ArgumentProblem {
  if (list === undefined) return problem;
  const [cut, real] = [`${list}[`, (index: string) => `${list}[${Number(index) + from}]`];
  const shifted = (text: string) =>
    text.startsWith(cut) ? text.replace(/^[^[]*\[(\d+)\]/, (_, index: string) => real(index)) : text;
  return { ...problem, field: shifted(problem.field), message: shifted(problem.message) };
}

/** Adds a problem for each string with a lone surrogate, and stops when there are more than anybody reads. */
function* findLoneSurrogates(value: unknown, at: string, problems: ArgumentProblem[]): Steps<void> {
  if (problems.length >= MOST_PROBLEMS) return;
  if (typeof value === 'string') {
    if (isWellFormed(value)) return;
    const message = `${at} is not valid Unicode: it holds half of a character`;
    problems.push({ field: at, missing: false, message });
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      if (i % ITEMS_AT_ONCE === 0) yield;
      if (typeof item !== 'string' || !isWellFormed(item))
        yield* findLoneSurrogates(item, `${at}[${i}]`, problems);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [i, [name, inner]] of Object.entries(value).entries()) {
      if (i % ITEMS_AT_ONCE === 0) yield;
      yield* findLoneSurrogates(inner, join(at, name), problems);
    }
  }
}

function renamed(tool: Tool, sent: unknown): unknown {
  if (!isObject(sent)) return sent;
  const args: Record<string, unknown> = { ...sent };
  for (const [alias, name] of Object.entries(tool.aliases)) {
    if (!(alias in args)) continue;
    args[name] ??= args[alias];
    delete args[alias];
  }
  return args;
}

/** The value with the defaults of its schema. */
function* fillingIn(schema: Schema, value: unknown): Steps<unknown> {
  if (!('type' in schema)) return value;
  if (schema.type === 'array' && Array.isArray(value)) {
    // Most lists hold nothing that could have a default.
    if (!('type' in schema.items) || !['object', 'array'].includes(schema.items.type)) return value;
    const filled: unknown[] = [];
    for (const item of value) {
      if (filled.length % ITEMS_AT_ONCE === 0) yield;
      filled.push(yield* fillingIn(schema.items, item));
    }
    return filled;
  }
  if (schema.type !== 'object') return value;
  const filled: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  for (const [name, field] of Object.entries(schema.properties)) {
    if (filled[name] !== undefined) filled[name] = yield* fillingIn(field, filled[name]);
    else if ('default' in field && field.default !== undefined) filled[name] = structuredClone(field.default);
  }
  return filled;
}

/** Keywords that only report that something below them is wrong. */
const WRAPPERS = new Set(['properties', 'items', 'prefixItems', 'false']);

/** A call may have any number of wrong fields; nobody reads more problems than this. */
const MOST_PROBLEMS = 100;

function problemsOf(errors: readonly OutputUnit[], input: ObjectSchema): ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  for (const error of errors) {
    if (WRAPPERS.has(error.keyword)) continue;
    // Every branch of a `oneOf` reports its own problem. The `oneOf` itself stands for all of them.
    if (error.keywordLocation.includes('/oneOf/')) continue;
    problems.push(problemOf(error, input));
    if (problems.length === MOST_PROBLEMS) break;
  }
  return problems;
}

function problemOf(error: OutputUnit, input: ObjectSchema): ArgumentProblem {
  const at = fieldOf(error.instanceLocation);
  const named = /"([^"]*)"/.exec(error.error)?.[1] ?? '';
  switch (error.keyword) {
    case 'required':
      return { field: join(at, named), missing: true, message: `missing required field: ${join(at, named)}` };
    case 'additionalProperties': {
      const near = didYouMean(named, Object.keys(ownerOf(input, error).properties));
      return { field: join(at, named), missing: false, message: `unknown field: ${join(at, named)}${near}` };
    }
    case 'type': {
      const [, got, wanted] = /"([^"]*)" is invalid\. Expected "(.*)"/.exec(error.error) ?? [];
      return {
        field: at,
        missing: false,
        message: `${at || 'arguments'} must be ${article(wanted)}, not ${got}`,
      };
    }
    case 'oneOf':
      return { field: at, missing: false, message: `${at} must be ${formsOf(keywordIn(input, error))}` };
    case 'pattern':
      return { field: at, missing: false, message: `${at} must match ${keywordIn(input, error)}` };
    default:
      return { field: at, missing: false, message: `${at}: ${lowerFirst(error.error)}` };
  }
}

/** The value of the keyword that failed, in the schema. */
function keywordIn(input: ObjectSchema, { keywordLocation }: OutputUnit): unknown {
  const steps = keywordLocation.split('/').slice(1).map(decodeURIComponent);
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], input);
}

/** The object schema whose keyword failed. */
function ownerOf(input: ObjectSchema, { keywordLocation }: OutputUnit): ObjectSchema {
  const above = keywordLocation.slice(0, keywordLocation.lastIndexOf('/'));
  return keywordIn(input, { keywordLocation: above } as OutputUnit) as ObjectSchema;
}

function formsOf(schemas: unknown): string {
  return (schemas as readonly Schema[]).map((schema) => article(formOf(schema))).join(' or ');
}

function formOf(schema: Schema, many = false): string {
  if (!('type' in schema)) return schema.oneOf.map((each) => formOf(each, many)).join(' or ');
  if (schema.type === 'array') return `array${many ? 's' : ''} of ${formOf(schema.items, true)}`;
  const bound = 'minimum' in schema && schema.minimum !== undefined ? ` of at least ${schema.minimum}` : '';
  return `${schema.type}${many ? 's' : ''}${bound}`;
}

function fieldOf(pointer: string): string {
  return pointer
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : join(field, part)), '');
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function article(type: string | undefined): string {
  return type === undefined ? 'of another type' : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function lowerFirst(sentence: string): string {
  return (sentence.charAt(0).toLowerCase() + sentence.slice(1)).replace(/\.$/, '');
}
