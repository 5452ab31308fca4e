import { describe, expect } from 'vitest';
import { endpoints, readable, UNKNOWN_ID } from '../endpoints.ts';
import { activateSmartMode, createInvoice, fetchInvoice } from '../samples.ts';
import { createTarget } from '../target.ts';

const { reads, controls } = createTarget();
const withId = endpoints.filter(({ path }) => path.includes(String(UNKNOWN_ID)));

describe('4. Path conventions', () => {
  for (const { method, path } of readable) {
    reads(`${method} {base_url}/v1${path} exists and responds with JSON`, async (service) => {
      const { status, headers, text } = await service.ask(method, path);
      expect([status, text]).toEqual([200, expect.anything()]);
      expect(headers.get('Content-Type')).toMatch(/^application\/json/);
      expect(JSON.parse(text)).toBeTypeOf('object');
    });
  }

  controls('has seventeen endpoints and GET /prices', async () => {
    expect(endpoints).toHaveLength(18);
  });

  for (const [method, path] of [
    ['GET', '/energy/buy'],
    ['POST', '/account/profile'],
    ['DELETE', '/invoices/1'],
    ['GET', '/nowhere'],
    ['POST', '/smart-mode/1'],
  ] as const) {
    controls(`${method} ${path} does not exist`, async (target) => {
      const { status } = await target.ask(method, path);
      expect(status).toBeOneOf([404, 405]);
    });
  }
});

describe('4. "A path in braces is a path parameter of type number"', () => {
  for (const { method, path } of withId) {
    for (const id of [UNKNOWN_ID, 0, -1, '1.5', 'one', '1e3', '9'.repeat(30), '%20']) {
      controls(`${method} ${path.replace(String(UNKNOWN_ID), String(id))} is not found`, async (target) => {
        const { status, text } = await target.ask(method, path.replace(String(UNKNOWN_ID), String(id)));
        expect(status).toBeOneOf(id === UNKNOWN_ID ? [404] : [404, 422]);
        expect(JSON.parse(text)).toHaveProperty('detail');
      });
    }
  }

  controls("responds to another account's invoice as to an unknown one", async (target) => {
    const { invoice_id } = await createInvoice(target);
    const path = (id: number) => `/invoices/${id}`;
    const foreign = await target.ask('GET', path(invoice_id), { key: 'merchant-key' });
    const unknown = await target.ask('GET', path(UNKNOWN_ID), { key: 'merchant-key' });
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toContain('INVOICE_NOT_FOUND');
    expect(foreign.text.replaceAll(String(invoice_id), '')).toBe(
      unknown.text.replaceAll(String(UNKNOWN_ID), ''),
    );
    expect(await fetchInvoice(target, { invoice_id })).toMatchObject({ invoice_id });
  });

  for (const deed of ['toggle', 'deactivate']) {
    controls(`does not find another account's subscription for ${deed}`, async (target) => {
      const { id } = await activateSmartMode(target);
      const foreign = await target.ask('POST', `/smart-mode/${id}/${deed}`, { key: 'merchant-key' });
      expect([foreign.status, foreign.text]).toEqual([
        404,
        expect.stringContaining('SUBSCRIPTION_NOT_FOUND'),
      ]);
      const { text } = await target.ask('GET', '/smart-mode/subscriptions');
      expect(JSON.parse(text)).toMatchObject([{ id, status: 'active' }]);
    });
  }
});
