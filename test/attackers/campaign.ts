/** How long and how often to attack: briefly in the usual tests, longer in a soak, at length with `npm run attack`. */
import { appendFileSync } from 'node:fs';
import { soak } from '../soak.ts';

interface Orders {
  /** How long all raids take together. */
  seconds: number;
  kills: number;
  /** The file that each row of the result is appended to, one JSON value a line. */
  report?: string;
}

const usual = soak<Orders>({ seconds: 3, kills: 4 }, { seconds: 10, kills: 40 });
const orders: Orders = JSON.parse(process.env.COFFERDAM_CAMPAIGN ?? JSON.stringify(usual));

export const { seconds, kills } = orders;

export function report(row: Record<string, string | number>): void {
  if (orders.report !== undefined) appendFileSync(orders.report, `${JSON.stringify(row)}\n`);
}
