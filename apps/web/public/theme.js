// Runs before the first paint, so that the page never flashes in the wrong theme. Dark unless the visitor chose otherwise.
(() => {
  try {
    const choice = localStorage.getItem('theme');
    const isLight = choice === 'system' ? matchMedia('(prefers-color-scheme: light)').matches : choice === 'light';
    if (!isLight) return;
    document.documentElement.dataset.theme = 'light';
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', '#f8f5f0');
  } catch {
    // Storage may be forbidden; dark stays.
  }
})();
