/** Answers `initialize`, and tells which clients can be answered without the protocol library. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject } from '../../../json/is-object.ts';
import type { App } from '../app.ts';
import { resourceDialect } from '../resources/resource-methods.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import { HANDSHAKE_VERSIONS } from './handshake-versions.ts';

/** A message with this key in its `_meta` belongs to a protocol version without `initialize`. */
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** The capabilities of a server whose dialect serves files as resources. */
const WITH_RESOURCES = { resources: { subscribe: true, listChanged: true }, completions: {} };

export function serverDescription(app: App) {
  const instructions = instructionsOf(app);
  return {
    capabilities: { tools: {}, ...(resourceDialect(app) && WITH_RESOURCES) },
    serverInfo: { name: 'cofferdam', title: 'Cofferdam', version: app.version },
    ...(instructions !== '' && { instructions }),
  };
}

function instructionsOf(app: App): string {
  const { dialects, engine, clientRoots } = app;
  const offers = (tool: string) => offeredTools(app).shown.some(({ name }) => name === tool);
  const served = {
    directories: engine.roots,
    canUndo: clientRoots?.canUndo ?? engine.keepsChanges,
    offers,
  };
  return dialects.flatMap((dialect) => dialect.instructions?.(served) ?? []).join('\n\n');
}

export function initializeResult(app: App, asked: string) {
  const protocolVersion = HANDSHAKE_VERSIONS.includes(asked) ? asked : HANDSHAKE_VERSIONS[0]!;
  return { protocolVersion, ...serverDescription(app) };
}

/** Whether a client's first message is an ordinary `initialize`, which the library need not check. */
export function isPlainInitialize(message: JSONRPCMessage): boolean {
  if (!('method' in message) || !('id' in message) || message.method !== 'initialize') return false;
  const meta: unknown = message.params?._meta;
  return !(isObject(meta) && VERSION_META in meta) && whyNotInitialize(message.params) === undefined;
}

/** The reason why the params of `initialize` are invalid. */
export function whyNotInitialize(params: unknown): string | undefined {
  if (!isObject(params)) return 'initialize needs protocolVersion, capabilities and clientInfo';
  if (typeof params.protocolVersion !== 'string') return 'protocolVersion must be a string';
  return whyNotCapabilities(params.capabilities) ?? whyNotClient(params.clientInfo);
}

const OPEN_CAPABILITIES = ['experimental', 'extensions'];
const KNOWN_CAPABILITIES = ['sampling', 'elicitation', 'roots', 'tasks'];
const FLAGS = ['listChanged', 'applyDefaults'];

function whyNotCapabilities(capabilities: unknown): string | undefined {
  if (!isObject(capabilities)) return 'capabilities must be an object';
  for (const name of OPEN_CAPABILITIES) {
    const open = capabilities[name];
    if (open !== undefined && !(isObject(open) && Object.values(open).every(isObject)))
      return `capabilities.${name} must be an object of objects`;
  }
  for (const name of KNOWN_CAPABILITIES) {
    if (capabilities[name] !== undefined && !isCapability(capabilities[name]))
      return `capabilities.${name} must be an object of objects and flags`;
  }
  return undefined;
}

function isCapability(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, inner]) =>
    FLAGS.includes(name) ? typeof inner === 'boolean' : isCapability(inner),
  );
}

function whyNotClient(client: unknown): string | undefined {
  if (!isObject(client)) return 'clientInfo must be an object';
  for (const name of ['name', 'version'])
    if (typeof client[name] !== 'string') return `clientInfo.${name} must be a string`;
  for (const name of ['title', 'websiteUrl', 'description'])
    if (!isTextIfAny(client[name])) return `clientInfo.${name} must be a string`;
  const { icons = [] } = client;
  return Array.isArray(icons) && icons.every(isIcon)
    ? undefined
    : 'clientInfo.icons must be a list of icons, each with its src';
}

function isIcon(icon: unknown): boolean {
  if (!isObject(icon) || typeof icon.src !== 'string' || !isTextIfAny(icon.mimeType)) return false;
  const { sizes = [], theme = 'light' } = icon;
  if (theme !== 'light' && theme !== 'dark') return false;
  return Array.isArray(sizes) && sizes.every((size) => typeof size === 'string');
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
