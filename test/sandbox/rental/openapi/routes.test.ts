import { expect, test } from 'vitest';
import { createClock } from '../../../../src/sandbox/clock.ts';
import { createRentalSandbox } from '../../../../src/sandbox/rental/rental-sandbox.ts';

const sandbox = () => createRentalSandbox({ clock: createClock() });

test('is served without a key', async () => {
  const response = await sandbox().api.request('/openapi.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch('application/json');
  expect(await response.json()).toMatchObject({ openapi: '3.1.0' });
});

test.each([
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/docs.css', 'text/css; charset=utf-8'],
  ['/docs/docs.js', 'text/javascript; charset=utf-8'],
  ['/docs/schema.js', 'text/javascript; charset=utf-8'],
])('serves %s as %s without access to other origins', async (path, type) => {
  const response = await sandbox().api.request(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).not.toMatch(/https?:\/\//);
});

test.each(['/docs/', '/docs/routes.ts', '/docs/../routes.ts', '/docs/none.js'])(
  'does not serve %s',
  async (path) => {
    expect((await sandbox().api.request(path)).status).toBe(404);
  },
);
