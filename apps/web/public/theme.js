// Runs before the first paint, so that the page never flashes in the wrong theme. Dark unless the visitor chose light.
(() => {
  try {
    if (localStorage.getItem('theme') !== 'light') return;
    document.documentElement.dataset.theme = 'light';
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', '#f8f5f0');
  } catch {
    // Storage may be forbidden; dark stays.
  }
})();
