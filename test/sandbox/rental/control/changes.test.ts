import { describe, expect, it } from 'vitest';
import { ORDER, serveRental } from '../rental-server.ts';

async function follow(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  return async () => {
    const part = await reader?.read();
    return part?.done ? 'end' : Number(/^data: (\d+)\n\n/.exec(part?.value ?? '')?.[1]);
  };
}

describe('the stream of changes', () => {
  it('starts with the revision and reports each change by requests, the clock and a reset', async () => {
    const rental = await serveRental();
    const response = await rental.stream('/changes');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const next = await follow(response);
    expect(await next()).toBe(0);
    await rental.ask('POST', '/webhooks/configure', { body: { url: '' } });
    expect(await next()).toBe(1);
    rental.clock.advance(1);
    expect(await next()).toBe(2);
    rental.sandbox.reset();
    expect(await next()).toBe(3);
  });

  it('ends when the sandbox stops, and is empty afterwards', async () => {
    const rental = await serveRental();
    const next = await follow(await rental.stream('/changes'));
    await next();
    rental.sandbox.stop();
    expect(await next()).toBe('end');
    expect(await (await rental.stream('/changes')).text()).toBe('');
  });

  it('continues after clients disconnect', async () => {
    const rental = await serveRental();
    await (await rental.stream('/changes')).body?.cancel();
    expect((await rental.ask('POST', '/energy/buy', { body: ORDER })).status).toBe(200);
    expect((await rental.state()).orders).toHaveLength(1);
  });
});
