import { NoSlug } from '../features/folder/folder-states.tsx';

/** /f without a slug (§2). */
export const NoSlugPage = () => <NoSlug />;
