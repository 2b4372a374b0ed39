/** How the server introduces itself, and to whom it does so without asking the protocol library. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { App } from './app.ts';
import { isObject } from './messages.ts';

/** Those that begin with `initialize`, the newest first. A client of any other is offered the newest. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** With this in its `_meta`, a message claims to be of a version without a handshake. */
const CLAIM = 'io.modelcontextprotocol/protocolVersion';

export function introduction({ version }: App) {
  return {
    capabilities: { tools: {} },
    serverInfo: { name: 'cofferdam', title: 'Cofferdam', version },
  };
}

/** What `initialize` is answered with. */
export function handshake(app: App, asked: string) {
  const protocolVersion = HANDSHAKE_VERSIONS.includes(asked) ? asked : HANDSHAKE_VERSIONS[0]!;
  return { protocolVersion, ...introduction(app) };
}

/** Whether a conversation begins with the handshake, with nothing in it that would have to be looked at twice. */
export function beginsPlainly(message: JSONRPCMessage): boolean {
  if (!('method' in message) || !('id' in message) || message.method !== 'initialize') return false;
  const meta: unknown = message.params?._meta;
  return !(isObject(meta) && CLAIM in meta) && whyNotInitialize(message.params) === undefined;
}

/** What is wrong with the params of `initialize`. */
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
