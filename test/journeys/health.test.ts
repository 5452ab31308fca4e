import { expect, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { advanceUntil, readHealthAlert } from '../support/health-alerts.ts';
import { journeysWith } from '../support/journey.ts';
import { ADMIN, HOLDER, type World } from '../support/world.ts';

const it = journeysWith({ config: { rentalApiKey: 'operator-key' } });

/** Returns the status and the body of `/readyz`. */
async function readinessOf({ origin }: World): Promise<[number, unknown]> {
  const response = await fetch(`${origin}/readyz`);
  return [response.status, await response.json()];
}

it('tells admins that the service responds with web pages, and when that is over', async (_, world) => {
  const admin = world.person(ADMIN);
  await admin.say('/start');
  const readiness = () => readinessOf(world);
  await world.fault('GET /account/profile', 'web-page', { times: 1_000 });
  const alert = await readHealthAlert(admin, world, 'responds with a web page');
  expect(alert.text).toContain('if you changed RENTAL_API_URL, correct it');
  expect(await readiness()).toMatchObject([200, { status: 'degraded', failing: { service: 'error' } }]);
  const state = await admin.ask('/state', 'responds with a web page');
  expect(state.text).toMatch(/1 of \d+ fail/);

  await world.control('DELETE', '/rental/faults');
  await readHealthAlert(admin, world, 'is over after');
  expect(await readiness()).toMatchObject([200, { status: 'ok', failing: {} }]);
});

it('sets its webhook again after another program has removed or replaced it', async (_, world) => {
  const admin = world.person(ADMIN);
  await admin.say('/start');
  await world.settled();
  for (const url of ['', 'http://127.0.0.1:1/hook']) {
    await world.control('POST', '/telegram/webhook', { url });
    const finding = url ? `has set the webhook to ${url}` : 'has no webhook for this bot';
    await advanceUntil(world, () =>
      expect(world.log.some((line) => line.includes('Repaired: ') && line.includes(finding))).toBe(true),
    );
    // The command arrives only because the webhook is back.
    await admin.ask('/state', 'State');
  }
  const finding = "another program with this bot's token";
  expect((await readHealthAlert(admin, world, finding)).text).toContain('BOT_TOKEN');
  // A check that runs while the clock moves is postponed, so the clock moves until one has run.
  await vi.waitFor(
    async () => {
      await world.advance(60);
      const { text } = await admin.ask('/state', 'State');
      expect(text).toContain(`${finding} set the webhook http://127.0.0.1:1/hook`);
    },
    { timeout: 60_000, interval: 2_000 },
  );
});

it('warns admins when a start replaces the webhook of another program', async (_, world) => {
  const url = 'http://127.0.0.1:1/of-another';
  const admin = world.person(ADMIN);
  await admin.say('/start');
  await world.stopApps();
  await world.control('POST', '/telegram/webhook', { url });
  await world.restart();
  const alert = await readHealthAlert(admin, world, "another program with this bot's token");
  expect(alert.text).toContain(`set the webhook ${url}, which the bot undid at the time`);
});

journeysWith({ config: { adminIds: new Set([ADMIN, HOLDER]) } })(
  'does not tell admins who have just started the bot that it cannot write to them',
  async (other, world) => {
    const finding = "can't write to these ids";
    await other.say('/start');
    await readHealthAlert(other, world, `${finding} of ADMIN_IDS, so they get no alerts: ${ADMIN}.`);
    const admin = world.person(ADMIN);
    await admin.ask('/start', 'Link your account');
    await other.reads('is over after');
    await world.settled();
    expect((await admin.messages()).filter(({ text }) => text?.includes(finding))).toEqual([]);
  },
);

journeysWith({ onRedis: true })(
  'says while it starts that Telegram does not accept its new webhook and keeps the former one',
  async (_, world) => {
    await world.stopApps();
    await world.telegramFault('setWebhook', 'error', { times: 1_000 });
    const started = world.restart({ publicUrl: `${world.origin}/moved` });
    await eventually(async () => {
      const failing = { 'telegram-webhook': 'error', 'telegram-updates': 'error' };
      expect(await readinessOf(world)).toMatchObject([503, { phase: 'starting', failing }]);
    });
    const findings = world.log.filter((line) => line.includes('"check":"telegram-'));
    expect(findings.join()).toMatch(/webhook before PUBLIC_URL changed.*TELEGRAM_API_ROOT/s);
    expect(findings.join()).toMatch(/TELEGRAM_API_ROOT.*couldn't be set at Telegram: Internal Server Error/s);
    expect(world.log.join()).not.toContain('Another program');
    await world.control('DELETE', '/telegram/faults');
    await started;
    await eventually(async () => {
      const [status, body] = await readinessOf(world);
      expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('telegram')]);
    });
  },
);
