-- Why: imports and copies write every column that their rows name, so a new column needs no line there. All rows have
-- the keys of the first one; keys without a column are skipped. The caller's own grants apply.
create function private.insert_rows(p_table regclass, p_rows jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_columns text := (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_rows -> 0 ? a.attname);
begin
  if v_columns is not null then
    execute format('insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1)', p_table, v_columns) using p_rows;
  end if;
end;
$$;
grant execute on function private.insert_rows to authenticated, service_role;

-- Why: an edit and an undo set the columns that they name, so a new column needs no line there. Null means no change
-- for a column that is never null. The caller's own grants apply: what they may not update is passed over.
create function private.set_fields(p_table regclass, p_id uuid, p_fields jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_columns text := (
    select string_agg(format('%1$I = n.%1$I', a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_fields ? a.attname
      and not (a.attnotnull and p_fields -> a.attname = 'null')
      and has_column_privilege(a.attrelid, a.attnum, 'update'));
begin
  if v_columns is not null then
    execute format('update %1$s t set %2$s from jsonb_populate_record(null::%1$s, $1) n where t.id = $2', p_table, v_columns) using p_fields, p_id;
  end if;
end;
$$;
grant execute on function private.set_fields to authenticated, service_role;
