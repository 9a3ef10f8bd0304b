import { Check, CircleDashed, X } from 'lucide-react';

/** What the server can see (CONTAINER §2, §3; DESIGN R1): every line must stay true as written. */
const answers = {
  never: { text: 'Never', tone: 'text-success', Icon: X },
  choice: { text: 'Not by default', tone: 'text-success', Icon: CircleDashed },
  yes: { text: 'Yes', tone: 'text-muted', Icon: Check },
} as const;

const rows: readonly { what: string; answer: keyof typeof answers; why: string }[] = [
  {
    what: 'What is inside encrypted files',
    answer: 'never',
    why: 'They are sealed in your browser with AES-256 and HMAC-SHA256 before upload.',
  },
  {
    what: 'The secret in a link',
    answer: 'never',
    why: 'It sits after the # sign. Browsers never send that part to a server, and without it our half opens nothing.',
  },
  {
    what: 'Names and types of encrypted files',
    answer: 'choice',
    why: 'They are sealed like the files. You can turn that off for a folder.',
  },
  {
    what: 'Sizes, counts and times, and the folder’s own name',
    answer: 'yes',
    why: 'We need them to store the files, to count your storage and to end the folder.',
  },
  {
    what: 'Folders you choose not to encrypt',
    answer: 'yes',
    why: 'The page says so before you upload, and the files carry no lock badge.',
  },
  {
    what: 'Your Discord name, e-mail and avatar',
    answer: 'yes',
    why: 'Only when you sign in. Recipients don’t have to.',
  },
];

function Answer({ answer }: { answer: keyof typeof answers }) {
  const { text, tone, Icon } = answers[answer];
  return (
    <td className={tone}>
      <span className="inline-flex items-center gap-1.5 font-medium">
        <Icon size={15} aria-hidden />
        {text}
      </span>
    </td>
  );
}

export const Privacy = () => (
  <section aria-labelledby="privacy" className="border-t border-line/60 bg-sunken py-20">
    <div className="wrap grid gap-10 lg:grid-cols-[1fr_1.9fr] lg:gap-16">
      <div>
        <h2 id="privacy" className="display text-3xl">
          Privacy, in plain words
        </h2>
        <p className="mt-3 max-w-sm text-base text-muted">
          “Zero-knowledge” is easy to say. Here is exactly what our server can and cannot see.
        </p>
      </div>
      <table className="w-full text-left text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Data</th>
            <th scope="col">Can the server see it?</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ what, answer, why }) => (
            <tr
              key={what}
              className="grid grid-cols-[1fr_auto] gap-x-4 border-t border-line py-3.5 first:border-t-0 sm:grid-cols-[1.1fr_7.5rem_1.6fr]"
            >
              <th scope="row" className="font-medium text-ink">
                {what}
              </th>
              <Answer answer={answer} />
              <td className="text-muted max-sm:col-span-2 max-sm:mt-1">{why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);
