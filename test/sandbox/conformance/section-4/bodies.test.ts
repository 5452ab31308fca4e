import { describe, expect } from 'vitest';
import { endpoints } from '../endpoints.ts';
import { createTarget, type SandboxTarget } from '../target.ts';

const { controls } = createTarget();

/** Expects a request to be rejected as invalid, with a message and without effects. */
async function expectInvalid(target: SandboxTarget, path: string, body: unknown, about: string) {
  const before = await target.state();
  const { status, headers, text } = await target.ask('POST', path, { body });
  expect([status, text]).toEqual([expect.toBeOneOf([400, 422]), expect.stringContaining(about)]);
  expect(headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(await target.state()).toEqual(before);
}

for (const { method, path, body, wrong = {}, required = [] } of endpoints) {
  if (body === undefined) continue;
  describe(`4. "Request body" of ${method} ${path}`, () => {
    controls('accepts a valid body', async (target) => {
      expect(await target.ask(method, path, { body })).toMatchObject({ status: 200 });
    });

    for (const [what, sent] of [
      ['no body', undefined],
      ['an empty body', ''],
      ['malformed JSON', '{"address":'],
      ['text', 'address=T'],
      ['an array', '[]'],
      ['null', 'null'],
      ['a number', '7'],
    ]) {
      controls(`rejects ${what}`, (target) => expectInvalid(target, path, sent, 'body'));
    }

    for (const field of required) {
      controls(`is rejected without ${field}`, (target) =>
        expectInvalid(target, path, { ...body, [field]: undefined }, field),
      );
    }

    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        controls(`rejects ${field}: ${JSON.stringify(value)}`, (target) => {
          const about = /address/.test(field) && typeof value === 'string' ? 'address' : field;
          return expectInvalid(target, path, { ...body, [field]: value }, about);
        });
      }
    }

    controls('ignores an unknown field', async (target) => {
      const asked = { body: { ...body, colour: 'red' } };
      expect(await target.ask(method, path, asked)).toMatchObject({ status: 200 });
    });
  });
}
