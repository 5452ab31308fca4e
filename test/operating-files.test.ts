import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import * as prometheus from 'prom-client';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { VARIABLES } from '../src/config.ts';
import { REDIS_FAULTS } from '../src/health/redis-problem.ts';
import { describeProblem } from '../src/views/health-problem.ts';
import { declarations } from './support/metrics.ts';
import { TEXTS } from './support/texts.ts';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

const FOLDER = join(import.meta.dirname, '..', 'docs', 'operating');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string(), action: z.string() }),
        }),
      ),
    }),
  ),
});
const rules = rulesSchema.parse(parse(read('alerts.yaml'))).groups.flatMap((group) => group.rules);

const panelSchema = z.object({
  targets: z.array(z.object({ expr: z.string() })).default([]),
});
const { panels } = z.object({ panels: z.array(panelSchema) }).parse(JSON.parse(read('dashboard.json')));

const queries = {
  'alerts.yaml': rules.map(({ expr }) => expr),
  'dashboard.json': panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
};

const registry = new prometheus.Registry();
prometheus.collectDefaultMetrics({ register: registry });
const ofNode = registry.getMetricsAsArray().map(({ name }) => name);
/** Labels that Prometheus adds to every metric. */
const ADDED = ['job', 'instance'];

/** Returns the metrics that a query selects, with the values of their labels, and the labels by which it groups. */
function namesIn(expr: string) {
  const text = expr.replaceAll('$__rate_interval', '5m');
  const selected: { name: string; labels: [label: string, value: string][] }[] = [];
  const grouped: string[] = [];
  const textOf = (node: SyntaxNode | null) => (node ? text.slice(node.from, node.to) : '');
  parser.parse(text).iterate({
    enter({ type, node }) {
      if (type.isError) throw new Error(`not PromQL: ${expr}`);
      if (type.name === 'VectorSelector')
        selected.push({ name: textOf(node.getChild('Identifier')), labels: [] });
      if (type.name === 'UnquotedLabelMatcher') {
        const value = textOf(node.getChild('StringLiteral')).slice(1, -1);
        selected.at(-1)?.labels.push([textOf(node.getChild('LabelName')), value]);
      }
      if (type.name === 'GroupingLabels') grouped.push(...node.getChildren('LabelName').map(textOf));
    },
  });
  return { selected, grouped };
}

/** Returns the labels of a metric, or `undefined` if there is no such metric. */
function labelsOf(name: string): Readonly<Record<string, readonly string[]>> | undefined {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  const found = declarations.find((one) => one.name === (one.type === 'histogram' ? base : name));
  return found?.labels ?? (ofNode.includes(base) ? {} : undefined);
}

test.each(Object.entries(queries))('%s names metrics, labels and values that exist', (_, exprs) => {
  expect(exprs.length).toBeGreaterThan(10);
  for (const expr of exprs) {
    const { selected, grouped } = namesIn(expr);
    expect(selected, expr).not.toEqual([]);
    const known = [...ADDED, 'le'];
    for (const { name, labels } of selected) {
      const sets = labelsOf(name);
      expect(sets, name).toBeDefined();
      known.push(...Object.keys(sets ?? {}));
      for (const [label, value] of labels.filter(([label]) => !ADDED.includes(label)))
        expect(sets?.[label], `${label} in ${expr}`).toEqual(expect.arrayContaining(value.split('|')));
    }
    expect(known, expr).toEqual(expect.arrayContaining(grouped));
  }
});

describe('the list of metrics', () => {
  const rows = declarations.map(({ name, type, help, labels }) => {
    const names = Object.keys(labels).map((label) => `\`${label}\``);
    return `| \`${name}\` | ${type} | ${help} | ${names.join(', ')} |`;
  });

  test('is complete', () => {
    const listed = read('metrics.md')
      .split('\n')
      .filter((line) => line.startsWith('| `bot_') && line.split('|').length > 5);
    expect(listed).toEqual(rows);
  });

  test('follows the conventions of Prometheus', () => {
    for (const { name, type, help } of declarations) {
      expect(name).toMatch(/^bot_[a-z]+(_[a-z]+)*$/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(help).not.toBe('');
    }
  });
});

describe('troubleshooting', () => {
  test('has an entry for each explained message of Redis', () => {
    const english = TEXTS.in('en');
    const explained = REDIS_FAULTS.map(([, problem, cause = '']) => {
      const { advice } = describeProblem(english, { problem, values: { cause, why: '' } });
      return ` | ${advice.replaceAll('|', '\\|')} |`;
    });
    const rows = read('troubleshooting.md').split('\n');
    const unexplained = explained.filter((end) => !rows.some((row) => row.endsWith(end)));
    expect(unexplained).toEqual([]);
  });

  test.each(['src/main.ts', 'scripts/start.js'])(
    'has an entry for each message with which %s ends',
    (path) => {
      const source = readFileSync(path, 'utf8');
      const messages = [...source.matchAll(/\bend\(\s*(['`])(.+?)\1/g)].map(([, , message = '']) =>
        message.replace(/\$\{.*?\}/g, '…').replace(/^…: /, ''),
      );
      expect(messages.length).toBeGreaterThan(2);
      const listed = [...read('troubleshooting.md').matchAll(/`(?:[A-Z_]+: )?([^`]+)`/g)].map(
        ([, text = '']) => text,
      );
      const isListed = (message: string) =>
        listed.some((text) => message.startsWith(text.replace(/ ?…$/, '')) && text.length > 10);
      expect(messages.filter((message) => !isListed(message))).toEqual([]);
    },
  );
});

test.each(['docs/operating/configure.md', '.env.example'])('%s names each variable once', (path) => {
  const text = readFileSync(path, 'utf8');
  const rows = path.endsWith('.md') ? /^\| (`[^|]+) \|/gm : /^([A-Z_]+)=/gm;
  const named = [...text.matchAll(rows)].flatMap(([, names = '']) => names.match(/[A-Z_]+/g) ?? []);
  expect(named.toSorted()).toEqual(VARIABLES.toSorted());
});
