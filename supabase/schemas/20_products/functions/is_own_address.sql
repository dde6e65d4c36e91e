-- Why: a repository over ssh may have another host name there: ssh.github.com, or an alias without a dot. A product
-- without an address at a code host has none to compare with.
create function private.is_own_address(p_product_id uuid, p_url text)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  v_repository text := (
    select regexp_replace(rtrim(lower(p.repo_url), '/'), '\.git$', '') from public.products p where p.id = p_product_id);
  v_address text := regexp_replace(lower(p_url), '^https?://', '');
  v_host text := regexp_replace(v_address, '[/:].*$', '');
  v_ssh text[] := regexp_match(v_repository, '^(?:ssh://)?[^@/:]+@([^/:]+)(?::[0-9]+(?=/))?[:/]+(.+)$');
begin
  if v_address ~ '[\\[:space:][:cntrl:]]|(\.|%2e){2}' then
    return false;
  elsif v_repository ~ '^https?://' then
    return starts_with(v_address, regexp_replace(v_repository, '^https?://([^@/]*@)?', '') || '/');
  elsif v_ssh is not null then
    return position('/' || v_ssh[2] || '/' in v_address) > 0
      and (v_ssh[1] !~ '\.' or v_ssh[1] = v_host or v_ssh[1] like '%.' || v_host);
  end if;
  return true;
end;
$$;

comment on function private.is_own_address is 'Whether an address is in the repository of a product at its code host.';
