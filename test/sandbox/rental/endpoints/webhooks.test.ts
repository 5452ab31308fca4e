import { describe, expect, it } from 'vitest';
import { serveRental } from '../rental-server.ts';

const configure = '/webhooks/configure';

describe('POST /webhooks/configure', () => {
  it.each(['https://example.com/hook', 'http://127.0.0.1:9/hook', 'http://localhost:9/', 'http://[::1]:9/'])(
    'sets %s, with a secret',
    async (url) => {
      const rental = await serveRental();
      const { status, json } = await rental.ask('POST', configure, { body: { url } });
      expect(status).toBe(200);
      expect(json).toEqual({
        url,
        secret: expect.stringMatching(/^whsec_[0-9a-f]{48}$/),
        active: true,
        created_at: '2025-06-01T12:00:00.000Z',
      });
      const { accounts } = await rental.state();
      expect(accounts.find(({ id }) => id === 1001)?.webhook).toEqual({ url, active: true });
      expect(accounts.find(({ id }) => id === 1002)?.webhook).toBeNull();
    },
  );

  it('creates a new secret each time', async () => {
    const rental = await serveRental();
    const body = { url: 'https://example.com/hook' };
    const first = await rental.ask<{ secret: string }>('POST', configure, { body });
    const second = await rental.ask<{ secret: string }>('POST', configure, { body });
    expect(second.json.secret).not.toBe(first.json.secret);
  });

  it('creates its secrets from the given random source', async () => {
    const rental = await serveRental({ random: (size) => new Uint8Array(size).fill(0xab) });
    const { json } = await rental.ask<{ secret: string }>('POST', configure, {
      body: { url: 'https://example.com/' },
    });
    expect(json.secret).toBe(`whsec_${'ab'.repeat(24)}`);
  });

  it('removes the URL if it is empty', async () => {
    const rental = await serveRental();
    await rental.ask('POST', configure, { body: { url: 'https://example.com/hook' } });
    const { json } = await rental.ask('POST', configure, { body: { url: '' } });
    expect(json).toMatchObject({ url: '', secret: '', active: false });
    expect((await rental.state()).accounts[0]?.webhook).toBeNull();
  });

  it.each([
    'http://example.com/hook',
    'http://127.0.0.1.example.com/',
    'http://10.0.0.1/',
    'ftp://localhost/',
    'hook',
    7,
    null,
    undefined,
  ])('rejects %s', async (url) => {
    const rental = await serveRental();
    const answer = await rental.ask('POST', configure, { body: { url } });
    const detail =
      'url: expected an HTTPS URL (http on loopback only), or an empty string to remove the webhook';
    expect(answer).toEqual({ status: 422, json: { detail } });
  });
});
