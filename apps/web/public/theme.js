// Before the first paint, or the page would flash in the wrong theme.
(() => {
  try {
    const choice = localStorage.getItem('theme');
    const isLight = choice === 'system' ? matchMedia('(prefers-color-scheme: light)').matches : choice === 'light';
    if (!isLight) return;
    document.documentElement.dataset.theme = 'light';
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', '#f8f5f0');
  } catch {
    // Without storage it is dark.
  }
})();
