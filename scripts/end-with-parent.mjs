// Preloaded into what the launchers start. The pipe to the launcher closes when that is killed outright. This process then
// ends itself the orderly way, and soon: the embedded database goes at the same moment, and the next start is waiting.
const GRACE_MS = 2000;

process.on('disconnect', () => {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
