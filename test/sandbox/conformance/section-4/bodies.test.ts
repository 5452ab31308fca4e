import { describe, expect } from 'vitest';
import { endpoints } from '../endpoints.ts';
import { createTarget, type SandboxTarget } from '../target.ts';

const { controls } = createTarget();

/** Refused as invalid, with a word about it and nothing done. */
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
    controls('a body that is what it should be is taken', async (target) => {
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
      controls(`${what} is refused`, (target) => expectInvalid(target, path, sent, 'body'));
    }

    for (const field of required) {
      controls(`it is refused without ${field}`, (target) =>
        expectInvalid(target, path, { ...body, [field]: undefined }, field),
      );
    }

    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        controls(`${field}: ${JSON.stringify(value)} is refused`, (target) => {
          const about = /address/.test(field) && typeof value === 'string' ? 'address' : field;
          return expectInvalid(target, path, { ...body, [field]: value }, about);
        });
      }
    }

    controls('a field that nobody knows changes nothing', async (target) => {
      const asked = { body: { ...body, colour: 'red' } };
      expect(await target.ask(method, path, asked)).toMatchObject({ status: 200 });
    });
  });
}
