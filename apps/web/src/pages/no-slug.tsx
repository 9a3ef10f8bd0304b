export function NoSlugPage() {
  return <h1>NoSlugPage</h1>;
}
