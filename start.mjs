// Usage: node start.mjs [admin COMMAND | bot:register]. Starts Satchel without npm, which a release doesn't need.
if (process.argv.length === 2) process.argv.push('start');
await import('./scripts/launch.mjs');
