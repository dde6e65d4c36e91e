-- Called by the backlog page and tools. `p_changes` holds the fields to change: title, description, code, priority, and
-- status: `blocked` (by hand) or `ready` (lifts the block; the status is then derived from the stories). A new priority
-- puts the PBI last in it.
create function operations.update_pbi(p_pbi_id uuid, p_changes jsonb)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{ready,blocked}'));
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  perform private.require_version('PBI', p_pbi_id, p_changes);
  update public.pbis b
  set title = coalesce(p_changes ->> 'title', b.title),
      description = coalesce(p_changes ->> 'description', b.description),
      code = coalesce(p_changes ->> 'code', b.code),
      status = case
        when v_status = 'BLOCKED' or (v_status = 'READY' and b.status = 'BLOCKED') then v_status::public.pbi_status
        else b.status
      end
  where b.id = p_pbi_id;

  update public.pbis b
  set priority = (p_changes ->> 'priority')::integer,
      sort_order = (
        select coalesce(max(o.sort_order), 0) + 1 from public.pbis o
        where o.product_id = v_product_id and o.priority = (p_changes ->> 'priority')::integer
      )
  where b.id = p_pbi_id and b.priority <> (p_changes ->> 'priority')::integer;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function operations.update_pbi is 'Edits, blocks and unblocks a PBI (specification: PBI).';
grant execute on function operations.update_pbi to authenticated;
