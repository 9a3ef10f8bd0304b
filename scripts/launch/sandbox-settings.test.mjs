import { describe, expect, it } from 'vitest';
import { planSandbox } from './sandbox-settings.mjs';

describe('when the sandbox may run', () => {
  it.each([['http://127.0.0.1:3000'], ['http://localhost:3000'], ['http://[::1]:3000'], ['http://127.0.0.1:3000/']])(
    'runs for %s without a Discord application',
    (publicUrl) => {
      const plan = planSandbox({}, publicUrl);
      const origin = publicUrl.replace(/\/$/, '');
      expect(plan.sandbox.SANDBOX_REDIRECT_URIS).toBe(`${origin}/auth/v1/callback`);
      expect(plan.server.DISCORD_API_URL).toBe('http://localhost:3001/api/v10');
      expect(plan.server.DISCORD_CLIENT_ID).toBe(plan.sandbox.SANDBOX_CLIENT_ID);
      expect(plan.server.DISCORD_CLIENT_SECRET).toBe(plan.sandbox.SANDBOX_CLIENT_SECRET);
    },
  );

  it.each([
    ['https://satchel.example'],
    ['https://127.0.0.1.example'],
    ['https://localhost.example'],
    ['http://192.168.1.10:3000'],
  ])('never runs for %s', (publicUrl) => {
    expect(planSandbox({}, publicUrl)).toBeUndefined();
  });

  it('never runs beside a Discord application', () => {
    expect(planSandbox({ DISCORD_CLIENT_ID: '42' }, 'http://127.0.0.1:3000')).toBeUndefined();
  });

  it('takes an empty setting for an unset one', () => {
    const plan = planSandbox({ DISCORD_CLIENT_ID: '', SANDBOX_PORT: '' }, 'http://127.0.0.1:3000');
    expect(plan.sandboxUrl).toBe('http://localhost:3001');
  });

  it.each(['x', '0', '65536', '-1', '3001.5', '1e3'])('says what is wrong with SANDBOX_PORT=%s', (SANDBOX_PORT) => {
    expect(planSandbox({ SANDBOX_PORT }, 'http://127.0.0.1:3000')).toEqual({
      problem: 'SANDBOX_PORT: must be a whole number from 1 to 65535',
    });
  });

  it('follows SANDBOX_PORT and makes a new secret for every start', () => {
    const [first, second] = [1, 2].map(() => planSandbox({ SANDBOX_PORT: '4001' }, 'http://127.0.0.1:3000'));
    expect(first.sandboxUrl).toBe('http://localhost:4001');
    expect(first.server.DISCORD_CLIENT_SECRET).not.toBe(second.server.DISCORD_CLIENT_SECRET);
  });
});
