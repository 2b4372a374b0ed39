/** What the engine reports while it works for a call goes into the call's event. */
import type { Caller, Origin } from '../engine/index.ts';
import type { CallTrace } from './recorder.ts';

export function tracing(trace: CallTrace, origin: Origin, more: Partial<Caller> = {}): Caller {
  return {
    ...more,
    origin,
    touched: (access) => trace.touched(access),
    entered: (id) => trace.madeEntry(id),
    confined: (confinement) => trace.confinedBy(confinement),
    noted: (note) => trace.noted(note),
  };
}
