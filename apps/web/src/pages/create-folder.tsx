export function CreateFolderPage() {
  return <h1>CreateFolderPage</h1>;
}
