import { PASSPHRASE_MIN_CHARACTERS } from '@satchel/contract/limits';

/**
 * Why a new passphrase is refused. An attacker with the link and the server's data can guess offline without a limit, so a
 * common passphrase protects nothing. An existing passphrase is not checked: even a weak one opens its folder.
 */
export type PassphraseFault = 'missing' | 'short' | 'repeated' | 'folder_name' | 'common';

/**
 * Passphrases that are guessed first: the commonest of at least 8 characters in published lists of leaked passwords, and
 * their German cousins. In lower case; what is shorter is refused by its length.
 */
const LIST = `
123456789 12345678 password 1234567890 qwerty123 password1 iloveyou 1q2w3e4r 987654321 qwertyuiop 87654321 12344321
123123123 1qaz2wsx 123456789a 1234567891 123456789q 0987654321 123654789 147258369 741852963 789456123 159357456
12341234 11223344 1122334455 112233445566 12121212 13131313 10203040 102030405060 01234567 0123456789 12345679 123456780
12345678910 123456789123 1234512345 1234abcd abcd1234 abc12345 abc123456 a1b2c3d4 a1234567 a12345678 a123456789 aa123456
aa12345678 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 1q2w3e4r5t 1q2w3e4r5t6y 1qazxsw2 1qaz2wsx3edc zaq12wsx zaq1xsw2 qazwsxedc
qaz123wsx qwer1234 qwert123 qwert1234 qwerty12 qwerty1234 qwerty12345 qwerty123456 qwertyui asdfghjk asdfghjkl asdf1234
asdfasdf zxcvbnm1 zxcvbnm123 zxcvbnm, qweasdzxc qweasd123 qweqweqwe qweasdqwe 123qwe123 123qweasd 123qweasdzxc 1234qwer
12345qwert 123456qwerty abcdefgh abcdefghi abcdefg1 aaaa1111 asdasdasd adgjmptw password12 password123 password1234
password12345 password2 password! password1! p@ssword p@ssw0rd p@ssw0rd1 passw0rd passw0rd1 pa55word pa$$word pass1234
pass12345 passport password01 passwort passwort1 passwort12 passwort123 passphrase geheim123 kennwort kennwort1 hallo123
hallo1234 hallowelt hallohallo ichliebedich schatz123 schatzi1 sommer123 sonnenschein fussball fussball1 deutschland
schalke04 borussia dortmund bayern123 bayernmuenchen willkommen willkommen1 start123 test1234 testtest test12345
testing123 tester123 changeme changeme1 letmein1 letmein123 welcome1 welcome123 welcome2 admin123 admin1234
administrator administrator1 rootroot root1234 master123 superman superman1 spiderman batman123 starwars starwars1
pokemon1 pokemon123 minecraft minecraft1 fortnite fortnite1 nintendo playstation discord1 discord123 gamer123 computer
computer1 internet internet1 samsung1 samsung123 iphone123 facebook facebook1 google123 michelle jennifer jennifer1
jessica1 michael1 charlie1 daniel123 anthony1 alexander alexandra victoria elizabeth nicholas benjamin jonathan patricia
veronica samantha stephanie christian christopher sebastian francesco baseball baseball1 football football1 football123
basketball basketball1 softball volleyball hockey123 liverpool liverpool1 manchester arsenal1 arsenal123 chelsea1
chelsea123 barcelona barcelona1 realmadrid juventus corvette mercedes ferrari1 mustang1 harley123 sunshine sunshine1
princess princess1 princess123 butterfly butterfly1 chocolate chocolate1 cheesecake strawberry blink182 monkey123
dragon123 shadow123 killer123 trustno1 whatever whatever1 iloveyou1 iloveyou2 iloveyou123 iloveyou! loveyou1 loveme123
lovelove forever1 friends1 friends123 freedom1 blessed1 jesus123 jesuschrist maverick midnight moonlight mountain
snowball snoopy123 scorpion scooby12 marlboro madison1 mickey123 american america1 hello123 hello1234 hellohello
helloworld hi123456 goodluck happy123 summer123 winter123 spring123 autumn123 summer2024 summer2025 summer2026
winter2024 winter2025 winter2026 cookie123 bailey123 brooklyn buster123 rainbow1 rainbow123 babygirl babygirl1 angel123
beautiful beautiful1 carolina florida1 newyork1 newyork123 london123 paris123 einstein security security1 secret123
secret1234 topsecret mypassword mypassword1 nopassword nopassword1 godzilla gangster guitar123 ginger123 hunter123
jordan23 jordan123 matrix123 matthew1 money123 pepper123 purple123 ranger123 soccer123 tigger123 thunder1 william1
yankees1 fuckyou1 fuckyou123 blahblah bubbles1 correcthorsebatterystaple
`;

export const COMMON_PASSPHRASES: ReadonlySet<string> = new Set(LIST.split(/\s+/).filter(Boolean));

/** The form for comparison: normalized, lower case, trimmed. */
const plainForm = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** Why `passphrase` must not be set for a folder of this name; null when it may. */
export function passphraseFault(passphrase: string, folderName: string | null): PassphraseFault | null {
  const plain = plainForm(passphrase);
  const characters = Array.from(plain);
  if (characters.length === 0) return 'missing';
  if (characters.length < PASSPHRASE_MIN_CHARACTERS) return 'short';
  if (new Set(characters).size === 1) return 'repeated';
  if (folderName !== null && plain === plainForm(folderName)) return 'folder_name';
  return COMMON_PASSPHRASES.has(plain) ? 'common' : null;
}
