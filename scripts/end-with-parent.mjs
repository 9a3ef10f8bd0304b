// Preloaded into what the launchers start. The pipe to the launcher closes when that is killed outright; this process
// then ends itself the orderly way, instead of holding its port and its data directory for nobody.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
