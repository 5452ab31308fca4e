import { expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/server.ts';
import { createPerson } from '../../support/person.ts';
import { createSandboxRequests } from '../../support/sandbox-requests.ts';

const TOKEN = '700:person';
const [GUEST, MERCHANT] = [501, 503];
const LINK = 'https://t.me/rental_demo_bot?start=inv_7';

function people() {
  const sandbox = createSandbox({ token: TOKEN, limits: false });
  onTestFinished(() => sandbox.stop());
  const requests = createSandboxRequests(sandbox);
  const call = async (method: string, form: FormData) => {
    const request = new Request(`http://localhost/telegram/bot${TOKEN}/${method}`, {
      method: 'POST',
      body: form,
    });
    return (await sandbox.fetch(request)).json();
  };
  const [guest, merchant] = [GUEST, MERCHANT].map((chat) => createPerson({ requests, chat }));
  if (!guest || !merchant) throw new Error('there are no users');
  return { guest, merchant, call };
}

test('a test user reads the content of a document', async () => {
  const { merchant, call } = people();
  await merchant.say('/start');
  const form = new FormData();
  form.set('chat_id', String(MERCHANT));
  form.set('caption', 'All invoices');
  form.set('document', new Blob(['number,amount\n1,2.32\n']), 'invoices.csv');
  await call('sendDocument', form);
  const message = await merchant.reads('All invoices');
  expect(message.document).toMatchObject({ name: 'invoices.csv', size: 21 });
  expect(await merchant.download(message)).toBe('number,amount\n1,2.32\n');
});

test('a test user shares a link with another, who follows it to the bot', async () => {
  const { guest, merchant } = people();
  await merchant.share(`https://t.me/share/url?${new URLSearchParams({ url: LINK, text: 'Pay' })}`, GUEST);
  const [share] = await guest.shared();
  expect(share).toMatchObject({ from: MERCHANT, url: LINK, text: 'Pay' });
  await guest.follow(LINK);
  expect(await guest.messages()).toMatchObject([{ from: 'person', text: '/start inv_7' }]);
});
