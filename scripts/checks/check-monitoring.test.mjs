import { describe, expect, it } from 'vitest';
import {
  checkAlerts,
  checkExpressions,
  checkMetrics,
  evaluationOf,
  readDashboard,
  readRules,
  readScrape,
} from './check-monitoring.mjs';

const SCRAPE = readScrape(`# HELP answers_total Answers
# TYPE answers_total counter
answers_total{route="/a/:id",status="200"} 4
answers_total{route="/",status="503"} 1
# TYPE seconds histogram
seconds_bucket{le="0.5"} 2
seconds_bucket{le="+Inf"} 3
seconds_count 3
# TYPE disk_bytes gauge
disk_bytes{of="free"} 1.5e+9
`);
const find = (expression, rules = []) =>
  checkExpressions([{ where: 'here', expression }], SCRAPE, rules).map((line) => line.replace('here: ', ''));

describe('the check of dashboard and alert rules', () => {
  it.each([
    'sum by (status) (rate(answers_total{route!~"/healthz|/a.*",status=~"5.."}[5m])) > 0.005 * 14.4',
    'histogram_quantile(0.99, sum by (le, instance) (rate(seconds_bucket[5m])))',
    'predict_linear(disk_bytes{of="free"}[1h], 4 * 3600) < 0 and on (instance) disk_bytes{job="satchel"} < 1e9',
    'sum(answers_total) - (sum(answers_total offset 15m) or vector(0)) > bool 0',
    'up{job="satchel"} == 0 or absent(up)',
    'answers_total{route="/a/:id"}',
  ])('passes %s', (expression) => {
    expect(find(expression)).toEqual([]);
  });

  it.each([
    ['rate(answer_total[5m])', '/metrics has no answer_total'],
    ['rate(answers_total{code="500"}[5m])', 'answers_total has no label code'],
    ['rate(answers_total{code!="500"}[5m])', 'answers_total has no label code'],
    ['rate(answers_total{status="404"}[5m])', 'no answers_total of the recorded scrape has status="404"'],
    ['answers_total{route=~"/a/:slug"}', 'no answers_total of the recorded scrape has route=~"/a/:slug"'],
    ['sum by (path) (answers_total)', 'no metric in it has the label path'],
    ['sum without (of) (answers_total)', 'no metric in it has the label of'],
    ['errors:ratio > 1', '/metrics has no errors:ratio'],
    ['{status="200"}', 'a selector without a metric'],
    ['vector(1)', 'it asks for no metric'],
  ])('refuses %s', (expression, complaint) => {
    expect(find(expression)).toContain(complaint);
  });

  const RULES = `groups:
  - name: a
    rules:
      - record: errors:ratio
        expr: sum(answers_total)
      - alert: SatchelA
        expr: >-
          errors:ratio > 1
          and up == 1
        for: 1m
`;

  it('reads rules in both forms, knows what they record, and no rule is overlooked', () => {
    const rules = readRules(RULES);
    expect(rules.map(({ name, isAlert, expression }) => [name, isAlert, expression])).toEqual([
      ['errors:ratio', false, 'sum(answers_total)'],
      ['SatchelA', true, 'errors:ratio > 1 and up == 1'],
    ]);
    expect(find('errors:ratio > 1', rules)).toEqual([]);
    expect(() => readRules(RULES.replace('>-', '|'))).toThrow(/some rule is not written/);
  });

  it('reads panels, those of rows and those of variables, with a value for each of Grafana’s', () => {
    const dashboard = {
      panels: [
        { title: 'A', targets: [{ expr: 'rate(answers_total{route=~"$route"}[$__rate_interval])' }] },
        { title: 'Row', panels: [{ title: 'B', targets: [{ expr: 'disk_bytes' }] }] },
      ],
      templating: {
        list: [{ name: 'route', query: { query: 'label_values(answers_total, route)' } }, { name: 'other' }],
      },
    };
    const panels = readDashboard(JSON.stringify(dashboard));
    expect(panels.map(({ expression }) => expression)).toEqual([
      'rate(answers_total{route=~".*"}[5m])',
      'disk_bytes',
      'answers_total',
    ]);
    expect(checkExpressions(panels, SCRAPE)).toEqual([]);
  });

  it('wants a test and an explanation for each alert, and none for what is no alert', () => {
    const rules = readRules(RULES);
    expect(
      checkAlerts(rules, { tests: '  - alertname: SatchelA\n', page: '| `SatchelA` | see `SatchelB` |\n' }),
    ).toEqual([]);
    expect(checkAlerts(rules, { tests: 'alertname: SatchelB', page: '' })).toEqual([
      'deploy/monitoring/alerts.test.yml: no test of SatchelA',
      'docs/operate.md: does not explain SatchelA',
      'deploy/monitoring/alerts.yml: there is no alert SatchelB',
    ]);
  });

  it('wants an explanation for each metric of the server’s own, and none for what is no metric', () => {
    const recorded =
      '# TYPE satchel_a gauge\nsatchel_a 1\n# TYPE satchel_b gauge\n# TYPE process_cpu_seconds_total counter\n';
    expect(checkMetrics(recorded, '| `satchel_a`, `satchel_b` | node | two |\n')).toEqual([]);
    expect(checkMetrics(recorded, '| `satchel_b`, `satchel_c` | node | see `satchel_a` |\n')).toEqual([
      'docs/operate.md: does not explain satchel_a',
      'docs/operate.md: /metrics has no satchel_c',
    ]);
  });

  it('gives promtool the recorded scrape as series, of which counters grow', () => {
    const [{ input_series }] = evaluationOf('alerts.yml', { scrape: SCRAPE, rules: [], panels: [] }).tests;
    expect(input_series).toContainEqual({
      series: 'answers_total{route="/",status="503",instance="recorded",job="satchel"}',
      values: '1.000000+1x60',
    });
    expect(input_series).toContainEqual({
      series: 'disk_bytes{of="free",instance="recorded",job="satchel"}',
      values: '1500000000.000000+0x60',
    });
  });
});
