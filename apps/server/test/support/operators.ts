import type { ActList, Report, ReportList } from '@satchel/contract/abuse';
import { expect } from 'vitest';
import type { KeyedDeps } from '../../src/http/deps.ts';
import { type Account, createTestApp, idOf, type TestApp } from './test-app.ts';

/** An app with two operators, and their calls. */

export interface OperatedApp extends TestApp {
  readonly olga: Account;
  readonly oskar: Account;
}

export async function createOperatedApp(
  options: { env?: Record<string, string>; deps?: Partial<KeyedDeps> } = {},
): Promise<OperatedApp> {
  const operators = `${idOf('olga')},${idOf('oskar')}`;
  const app = await createTestApp({ ...options, env: { OPERATOR_DISCORD_IDS: operators, ...options.env } });
  return { ...app, olga: await app.signIn('olga'), oskar: await app.signIn('oskar') };
}

/** A call of the operators' page; status and parsed body. */
export async function operate<Body = unknown>(
  app: TestApp,
  as: Account | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const response = await app.call(method, `/operator/v1${path}`, { as, body });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Body };
}

/** The log of operators' acts, the newest first. */
export async function actsOf({ olga, ...app }: OperatedApp): Promise<string[]> {
  const { body } = await operate<ActList>(app, olga, 'GET', '/acts');
  return body.acts.map(({ act, target, detail }) => `${act} ${target} ${detail ?? '-'}`);
}

export async function reportsOf({ olga, ...app }: OperatedApp, state: 'open' | 'closed' = 'open'): Promise<Report[]> {
  const { status, body } = await operate<ReportList>(app, olga, 'GET', `/reports?state=${state}`);
  expect(status).toBe(200);
  return body.reports;
}

export const report = (app: TestApp, input: object): Promise<Response> =>
  app.call('POST', '/abuse/v1/reports', { body: { reason: 'malware', ...input } });
