import { expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { createOutcomeLog } from '../../src/operations/outcome-log.ts';
import { recordingLog } from '../support/log-lines.ts';

const BASE = { id: 'AB12CD34', user: 501, account: 1001, request: { kind: 'energy' }, claimedAt: 1_000 };
const operation = (state: string, more: object = {}) => ({ ...BASE, state, ...more }) as unknown as Operation;
const RESULT = { order: 7, price: '2.32' };
const REFUSAL = { reason: 'insufficient', code: 'INSUFFICIENT_BALANCE' };

test.each<[change: string, before: Operation | undefined, after: Operation, line: object | undefined]>([
  ['a purchase', operation('sent'), operation('done', { result: RESULT }), { level: 'info', ...RESULT }],
  ['a lost record', undefined, operation('done', { result: RESULT }), { level: 'info', ...RESULT }],
  [
    'a refusal',
    operation('claimed'),
    operation('refused', { refusal: REFUSAL }),
    { level: 'info', ...REFUSAL },
  ],
  ['an unknown outcome', operation('sent'), operation('unknown'), { level: 'warn' }],
  ['a likely outcome', operation('unknown'), operation('likely'), { level: 'warn' }],
  ['a closed operation', operation('unknown'), operation('closed'), { level: 'info' }],
  [
    'a purchase that failed at once',
    operation('unknown'),
    operation('done', { result: { ...RESULT, status: 'failed' } }),
    { level: 'warn', ...RESULT },
  ],
  [
    'a failed order',
    operation('done', { result: RESULT }),
    operation('done', { result: { ...RESULT, status: 'failed' } }),
    { level: 'warn', ...RESULT },
  ],
  [
    'the end of a search',
    operation('unknown', { search: { over: false } }),
    operation('unknown', { search: { over: true } }),
    { level: 'error', advice: expect.stringContaining('Admin') },
  ],
  [
    'the end of a search for a likely outcome',
    operation('likely'),
    operation('likely', { search: { over: true } }),
    undefined,
  ],
  [
    'a delivery',
    operation('done', { result: RESULT }),
    operation('done', { result: { ...RESULT, status: 'filled' } }),
    undefined,
  ],
  ['the start of a request', operation('claimed'), operation('sent'), undefined],
])('%s is logged as it concerns the operator', (_, before, after, line) => {
  const { log, lines } = recordingLog();
  createOutcomeLog({ log, now: () => 1_250 })(before, after);
  const about = { operation: 'AB12CD34', user: 501, account: 1001, kind: 'energy', ms: 250 };
  expect(lines()).toMatchObject(line ? [{ ...about, ...line }] : []);
});
