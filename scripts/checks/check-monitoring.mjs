// Holds the dashboard and the alert rules of deploy/monitoring to what /metrics exposes: its recorded scrape, which a test
// of the server compares with the server. Where promtool is installed, it also runs the rules' tests and evaluates each expression.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../runtime/programs.mjs';

const FOLDER = 'deploy/monitoring';
/** What Prometheus itself adds: the metric of each scrape, and the labels of its target. */
const OF_PROMETHEUS = new Map([['up', new Map()]]);
const TARGET_LABELS = ['instance', 'job'];
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const MATCHER = /([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g;
const EVALUATED_AFTER_MINUTES = 60;

/** @returns {Promise<string[]>} one line for each thing to mend */
export async function checkMonitoring(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const recorded = read(`${FOLDER}/scrape.txt`);
  const scrape = readScrape(recorded);
  const rules = readRules(read(`${FOLDER}/alerts.yml`));
  const panels = readDashboard(read(`${FOLDER}/dashboard.json`));
  const lines = [
    ...checkExpressions([...rules, ...panels], scrape, rules),
    ...checkAlerts(rules, { tests: read(`${FOLDER}/alerts.test.yml`), page: read('docs/operate.md') }),
    ...checkMetrics(recorded, read('docs/operate.md')),
  ];
  return lines.length > 0 ? lines : runPromtool(join(root, FOLDER), { scrape, rules, panels });
}

/**
 * Reads Prometheus' text format.
 * @returns {Map<string, { type: string, series: { labels: Map<string, string>, value: string }[] }>} by the names in samples
 */
export function readScrape(text) {
  const metrics = new Map();
  let type = 'untyped';
  for (const line of text.split('\n')) {
    if (line.startsWith('# TYPE ')) type = line.split(' ')[3];
    const [, name, labels = '', value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (!name) continue;
    if (!metrics.has(name)) metrics.set(name, { type, series: [] });
    metrics.get(name).series.push({
      labels: new Map([...labels.matchAll(MATCHER)].map(([, label, , of]) => [label, of])),
      value,
    });
  }
  return metrics;
}

/**
 * Reads rules as this repository writes them: `expr` on its line, or in an indented block below it.
 * @returns {{ where: string, name: string, isAlert: boolean, expression: string }[]}
 */
export function readRules(text) {
  const rule = /^( *)- (alert|record): (\S+)\n\1 {2}expr: (?:>-\n((?:\1 {4}.*\n)+)|([^|>].*)\n)/gm;
  const rules = [...text.matchAll(rule)].map(([, , kind, name, block, line]) => ({
    where: `${FOLDER}/alerts.yml, ${name}`,
    name,
    isAlert: kind === 'alert',
    expression: (block ?? line).replace(/\s+/g, ' ').trim(),
  }));
  if (rules.length !== (text.match(/^ *expr:/gm) ?? []).length) {
    throw new Error(
      `${FOLDER}/alerts.yml: some rule is not written as "- alert:" or "- record:" with "expr:" below it`,
    );
  }
  return rules;
}

/** @returns {{ where: string, expression: string }[]} the queries of all panels, and of variables */
export function readDashboard(text) {
  const { panels, templating } = JSON.parse(text);
  const all = panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
  return [
    ...all.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({
        where: `${FOLDER}/dashboard.json, "${title}"`,
        expression: withoutVariables(expr),
      })),
    ),
    ...(templating?.list ?? [])
      .flatMap(({ name, query }) => [[name, /^label_values\((.*), *\w+\)$/.exec(query?.query ?? query ?? '')?.[1]]])
      .filter(([, expression]) => expression)
      .map(([name, expression]) => ({ where: `${FOLDER}/dashboard.json, $${name}`, expression })),
  ];
}

/** Grafana's own variables in the place of which Prometheus sees values. */
const withoutVariables = (expression) =>
  expression.replace(/\$__(rate_interval|range|interval)\b/g, '5m').replace(/"\$\w+"/g, '".*"');

/** @returns {string[]} metrics, labels and label values that no scrape has */
export function checkExpressions(expressions, scrape, rules = []) {
  const recorded = new Map(rules.filter(({ isAlert }) => !isAlert).map(({ name }) => [name, new Map()]));
  return expressions.flatMap(({ where, expression }) =>
    checkExpression(expression, scrape, new Map([...recorded, ...OF_PROMETHEUS])).map((what) => `${where}: ${what}`),
  );
}

function checkExpression(expression, scrape, others) {
  const found = [];
  const labels = new Set(TARGET_LABELS);
  // Selectors first: what is left has no strings and no label names but those of groupings.
  const bare = expression.replace(/([a-z_:][\w:]*)?\s*\{([^}]*)\}/gi, (_all, name, matchers) => {
    if (!name) found.push('a selector without a metric');
    else found.push(...checkSelector(name, [...matchers.matchAll(MATCHER)], scrape, others));
    return ` ${name ?? ''} `;
  });
  const groupings = [...bare.matchAll(GROUPING)].flatMap(([, list]) => list.split(',').map((label) => label.trim()));
  const rest = bare.replace(GROUPING, ' ').replace(/\[[^\]]*\]/g, ' ');
  const names = [...rest.matchAll(/(?<![\w.])([a-z_:][\w:]*)(?!\w|\s*\()/gi)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name.toLowerCase()));
  for (const name of names) {
    if (others.has(name)) continue;
    const metric = scrape.get(name);
    if (!metric) found.push(`/metrics has no ${name}`);
    for (const { labels: own } of metric?.series ?? []) for (const label of own.keys()) labels.add(label);
  }
  if (names.length === 0) found.push('it asks for no metric');
  for (const label of groupings) {
    if (label && !labels.has(label)) found.push(`no metric in it has the label ${label}`);
  }
  return [...new Set(found)];
}

function checkSelector(name, matchers, scrape, others) {
  const metric = scrape.get(name);
  // That it is missing is said once, by its name.
  if (!metric || others.has(name)) return [];
  return matchers.flatMap(([text, label, how, value]) => {
    if (TARGET_LABELS.includes(label)) return [];
    const values = metric.series.filter(({ labels }) => labels.has(label)).map(({ labels }) => labels.get(label));
    if (values.length === 0) return [`${name} has no label ${label}`];
    if (how.startsWith('!')) return [];
    const pattern = new RegExp(`^(?:${how === '=~' ? value : escapePattern(value)})$`);
    return values.some((of) => pattern.test(of)) ? [] : [`no ${name} of the recorded scrape has ${text}`];
  });
}

const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @returns {string[]} alerts without a test or without their line in the documentation, and tests and lines without alert */
export function checkAlerts(rules, { tests, page }) {
  const alerts = rules.filter(({ isAlert }) => isAlert).map(({ name }) => name);
  const tested = [...tests.matchAll(/alertname: (\w+)/g)].map(([, name]) => name);
  const explained = (page.match(/^\| `Satchel[^|]*/gm) ?? []).flatMap((cell) => cell.match(/Satchel\w+/g));
  return [
    ...alerts.filter((name) => !tested.includes(name)).map((name) => `${FOLDER}/alerts.test.yml: no test of ${name}`),
    ...alerts.filter((name) => !explained.includes(name)).map((name) => `docs/operate.md: does not explain ${name}`),
    ...[...new Set([...tested, ...explained])]
      .filter((name) => !alerts.includes(name))
      .map((name) => `${FOLDER}/alerts.yml: there is no alert ${name}`),
  ];
}

/** @returns {string[]} the server's own metrics without their line in the documentation, and lines of metrics that are not there */
export function checkMetrics(recorded, page) {
  const metrics = [...recorded.matchAll(/^# TYPE ((?:satchel|http)_\w+)/gm)].map(([, name]) => name);
  const explained = (page.match(/^\| `(?:satchel|http)_[^|]*/gm) ?? []).flatMap((cell) => cell.match(/\w+_\w+/g));
  return [
    ...metrics.filter((name) => !explained.includes(name)).map((name) => `docs/operate.md: does not explain ${name}`),
    ...explained.filter((name) => !metrics.includes(name)).map((name) => `docs/operate.md: /metrics has no ${name}`),
  ];
}

/** Runs the rules' own tests, and evaluates every expression on the recorded scrape: panels have to show something. */
function runPromtool(folder, { scrape, rules, panels }) {
  const promtool = process.env.PROMTOOL_PATH || findProgram(['promtool']);
  if (!promtool) {
    process.stdout.write(
      'left out: the tests of the alert rules: there is no promtool (Debian has it in "prometheus")\n',
    );
    return [];
  }
  const scratch = mkdtempSync(join(tmpdir(), 'satchel-promtool-'));
  try {
    const evaluated = join(scratch, 'evaluated.test.yml');
    writeFileSync(evaluated, JSON.stringify(evaluationOf(join(folder, 'alerts.yml'), { scrape, rules, panels })));
    const run = (...args) => {
      const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8' });
      return status === 0 ? [] : `promtool ${args[0]} ${args[1]}: ${stdout}${stderr}`.trim().split('\n');
    };
    return [
      ...run('check', 'rules', join(folder, 'alerts.yml')),
      ...run('test', 'rules', join(folder, 'alerts.test.yml')),
      ...run('test', 'rules', evaluated),
    ];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A test file for promtool, which reads JSON as YAML: the recorded scrape for an hour, with counters that grow. */
export function evaluationOf(ruleFile, { scrape, rules, panels }) {
  const input_series = [...scrape].flatMap(([name, { type, series }]) =>
    series
      .filter(({ value }) => Number.isFinite(Number(value)))
      .map(({ labels, value }) => ({
        series: `${name}{${[...labels, ['instance', 'recorded'], ['job', 'satchel']].map(([label, of]) => `${label}="${of}"`).join(',')}}`,
        values: `${Number(value).toFixed(6)}+${type === 'gauge' ? 0 : 1}x${EVALUATED_AFTER_MINUTES}`,
      })),
  );
  input_series.push({ series: 'up{instance="recorded",job="satchel"}', values: `1+0x${EVALUATED_AFTER_MINUTES}` });
  const once = (expr) => ({
    expr,
    eval_time: `${EVALUATED_AFTER_MINUTES}m`,
    exp_samples: [{ labels: '{}', value: 1 }],
  });
  const promql_expr_test = [
    ...panels.map(({ expression }) => once(`count(${expression}) > bool 0`)),
    // An alert is to be silent mostly, so it is only to be evaluated without an error.
    ...rules.map(({ expression }) => once(`count(${expression}) > bool 0 or vector(1)`)),
  ];
  return {
    rule_files: [ruleFile],
    evaluation_interval: '5m',
    tests: [{ interval: '1m', input_series, promql_expr_test }],
  };
}
