-- Why: a criterion is identified by its text, so that it has the same id in every installation.
create function private.criterion_id(p_text text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return left(encode(sha256(convert_to(btrim(regexp_replace(p_text, '\s+', ' ', 'g')), 'UTF8')), 'hex'), 12);
end;
$$;

comment on function private.criterion_id is 'The id of a criterion: the hash of its words (docs/proof.md).';

grant execute on function private.criterion_id to service_role;
