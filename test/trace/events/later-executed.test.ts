import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/trace/events/event.ts';
import { eventLine } from '../../../src/trace/events/event-line.ts';
import { Recorder } from '../../../src/trace/recorder.ts';

function flagsAfter(path: string, how: 'created' | 'changed' | 'moved-to' | 'read' | 'refused') {
  const events: TraceEvent[] = [];
  const spans = { send: (event: TraceEvent) => void events.push(event), close: async () => {} };
  const trace = new Recorder({ server: 's', roots: ['/app'], contents: false, spans }).begin({
    dialect: 'replay',
    tool: 'write_file',
    arguments: {},
  });
  trace.touched({ path, how });
  trace.answered({ bytesOut: 1 });
  return { flags: events[0]!.flags, line: eventLine(events[0]!, { colour: false }) };
}

describe('a call that changes a file which other programs run later', () => {
  it.each([
    '/app/package.json',
    '/app/deep/Makefile',
    '/app/.envrc',
    '/app/.vscode/tasks.json',
    '/app/.github/workflows/ci.yml',
    '/app/.git/hooks/pre-commit',
  ])('is flagged: %s', (path) => {
    for (const how of ['created', 'changed', 'moved-to'] as const) {
      expect(flagsAfter(path, how).flags).toEqual(['later-executed']);
    }
    expect(flagsAfter(path, 'changed').line).toContain('later-executed');
  });

  it('is not flagged if it only read the file, was refused, or changed another file', () => {
    expect(flagsAfter('/app/package.json', 'read').flags).toBeUndefined();
    expect(flagsAfter('/app/package.json', 'refused').flags).toBeUndefined();
    expect(flagsAfter('/app/src/main.ts', 'changed').flags).toBeUndefined();
    expect(flagsAfter('/app/package.json.md', 'changed').flags).toBeUndefined();
  });
});
