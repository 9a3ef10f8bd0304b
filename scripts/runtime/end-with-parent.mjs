// Preloaded into what the launchers start. The pipe to the launcher closes when that is killed outright. This process then
// ends at once: the embedded database ends at the same moment, and the next start needs port and data directory.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
