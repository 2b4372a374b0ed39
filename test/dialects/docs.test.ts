/** docs.json, from which docs/tools is written, has examples for every tool and a cause for every error. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../src/dialects/index.ts';
import type { GoldenCall, GoldenCase } from '../golden.ts';

const { replyOf } = (await import(new URL('../../scripts/tool-page.mjs', import.meta.url).href)) as {
  replyOf(call: GoldenCall): { text: string; whole: boolean } | undefined;
};

interface Docs {
  /** Keyed by tool: what an example shows, and the golden case that it comes from. */
  examples: Record<string, Record<string, string>>;
  errors: { when: string; reply: string }[];
}

for (const dialect of dialects) {
  const docs = readJson<Docs>(`../../src/dialects/${dialect.name}/docs.json`);
  const goldens = goldensOf(dialect.name);

  describe(`the docs of ${dialect.name}`, () => {
    for (const { name } of dialect.tools) {
      it(`show examples of ${name}, from golden cases that succeed`, () => {
        const cases = Object.values(docs.examples[name] ?? {});
        expect(cases).not.toEqual([]);
        expect(cases.filter((each) => !goldens.some((golden) => showsSuccess(golden, each, name)))).toEqual(
          [],
        );
      });
    }

    it('name only tools that exist', () => {
      const names = dialect.tools.map(({ name }) => name);
      expect(Object.keys(docs.examples).filter((name) => !names.includes(name))).toEqual([]);
    });

    it('name a cause for every error in a golden file, and for no other', () => {
      const replies = goldens.flatMap(({ calls }) => calls.flatMap((call) => replyOf(call) ?? []));
      const causes = docs.errors.map(({ reply }) => new RegExp(reply));
      const unexplained = replies.filter(
        ({ text, whole }) => whole && !causes.some((each) => each.test(text)),
      );
      expect(unexplained).toEqual([]);
      expect(causes.filter((cause) => !replies.some(({ text }) => cause.test(text)))).toEqual([]);
    });
  });
}

function showsSuccess({ name, calls }: GoldenCase, wanted: string, tool: string): boolean {
  return name === wanted && calls.some((call) => call.tool === tool && !call.error && !call.isError);
}

function goldensOf(name: string): GoldenCase[] {
  return readdirSync(fileURLToPath(new URL(name, import.meta.url)))
    .filter((file) => file.endsWith('.golden.json'))
    .flatMap((file) => readJson<GoldenCase[]>(`${name}/${file}`));
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as T;
}
