import { NoSlug } from '../features/folder/folder-ends.tsx';

/** /f without a slug (§2). */
export const NoSlugPage = () => <NoSlug />;
