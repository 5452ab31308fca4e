import type { Chat } from './chat.ts';
import { clock, type Health } from './health.ts';
import type { Journal } from './journal.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import type { Finding } from './verdict.ts';

const BEFORE_MS = 5_000;
const AFTER_MS = 60_000;
const LINES = 40;

interface Call {
  method: string;
  status: number;
  description?: string;
  params: { chat_id?: number | string; callback_query_id?: string; text?: string };
}

/** Describes what happened around a finding, for debugging. */
export async function detailsOf(
  finding: Finding,
  around: { chat: Chat | undefined; journal: Journal; health: Health; sandbox: SandboxProcess },
): Promise<string> {
  const { chat, journal, health, sandbox } = around;
  const [from, to] = [finding.at - BEFORE_MS, finding.at + AFTER_MS];
  const seen = (chat?.seen ?? []).filter(({ at }) => at > from && at < to).slice(0, LINES);
  const requests = journal.money.filter(({ purchase }) => purchase === finding.purchase);
  const calls = (await sandbox.control<Call[]>('GET', '/sandbox/telegram/calls')).filter(
    ({ params, status }) =>
      (finding.callback !== undefined && params.callback_query_id === finding.callback) ||
      (status !== 200 && Number(params.chat_id) === finding.chat),
  );
  return [
    `${finding.kind.toUpperCase()} in chat ${finding.chat} at ${clock(finding.at)}: ${finding.what}`,
    ...section('the chat', [
      ...seen.map(({ at, kind, message_id, message, callback, text }) =>
        kind === 'toast'
          ? `${clock(at)} toast for ${callback}: “${text}”`
          : `${clock(at)} ${kind} ${message_id} ${message?.from ?? ''}: ${inOneLine(message?.text)}`,
      ),
    ]),
    ...section('requests that move money', [
      ...requests.map(
        ({ at, over, status, purchase }) =>
          `${clock(at)} to ${over === undefined ? 'now' : clock(over)} ${purchase}: ${status}`,
      ),
    ]),
    ...section('calls to Telegram that answered the tap, or failed in this chat', [
      ...calls
        .slice(-LINES)
        .map(
          (call) => `${call.method} ${call.status} ${call.description ?? ''} ${inOneLine(call.params.text)}`,
        ),
    ]),
    ...section('disturbances at that time', health.between(from, to)),
  ].join('\n');
}

function section(title: string, lines: string[]): string[] {
  return [`  ${title}:${lines.length === 0 ? ' nothing' : ''}`, ...lines.map((line) => `    ${line}`)];
}

function inOneLine(text = ''): string {
  const line = text.replaceAll('\n', ' / ');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
