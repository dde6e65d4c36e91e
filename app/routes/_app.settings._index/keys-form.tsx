import { useState } from "react";
import { Section } from "~/components/card";
import { characterKeysOn, switchCharacterKeys } from "~/components/character-keys";
import { CheckField } from "~/components/field";
import { useHydrated } from "~/components/use-hydrated";

/** Keys need script, and so does their switch. */
export function KeysForm() {
  const hydrated = useHydrated();
  return hydrated ? (
    <Section title="Keys" about="For this browser.">
      <CharacterKeys />
    </Section>
  ) : null;
}

function CharacterKeys() {
  const [on, setOn] = useState(characterKeysOn);
  return (
    <CheckField
      name="character_keys"
      label="Single letters are keys"
      description="Off, only keys with Ctrl or Alt, arrows, Enter and Esc do something: for speech input, and for whoever hits letters by accident."
      checked={on}
      onChange={({ currentTarget }) => {
        switchCharacterKeys(currentTarget.checked);
        setOn(currentTarget.checked);
      }}
    />
  );
}
