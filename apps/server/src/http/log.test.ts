import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from './log.ts';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let lines = '';
  write(createLogger('info', { write: (line: string) => (lines += line) }));
  return lines;
}

test('fields off the list are never written', () => {
  const line = logged((log) =>
    log.info(
      { route: '/f/*', status: 200, url: '/f/hunter2', headers: { cookie: 'hunter2' }, req: { url: 'hunter2' } },
      'x',
    ),
  );
  expect(JSON.parse(line)).toMatchObject({ level: 'info', route: '/f/*', status: 200, msg: 'x' });
  expect(line).not.toContain('hunter2');
});

test('an error’s message is never written, wherever it is passed', () => {
  const error = new Error('hunter2');
  const lines = logged((log) => {
    log.error(error);
    log.error({ err: error });
    log.error({ error }, 'text');
    log.child({}).error({ err: error, res: { headers: 'hunter2' } }, 'text');
  });
  expect(lines.trim().split('\n')).toHaveLength(4);
  expect(lines).not.toContain('hunter2');
  expect(lines).toContain('"kind":"Error"');
});

// The journal has the priority of all lines as "info", since they come by stdout.
test('an error is found by the text that docs/operate.md has the journal searched for', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/operate.md'), 'utf8');
  const [, pattern = 'none'] = /journalctl -u satchel --grep '([^']*level[^']*)'/.exec(page) ?? [];
  expect(logged((log) => log.error(new Error('x')))).toMatch(new RegExp(pattern));
  expect(logged((log) => log.info('x'))).not.toMatch(new RegExp(pattern));
  expect(page).not.toMatch(/journalctl[^`]* -p /);
});
