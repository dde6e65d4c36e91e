-- Why: updated_at is the time of a row's last change, on every path.
create function private.tg_any__touch()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := private.now();
  return new;
end;
$$;

comment on function private.tg_any__touch is 'Keeps updated_at.';
