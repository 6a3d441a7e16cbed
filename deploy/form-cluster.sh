#!/bin/sh
# Forms a Redis Cluster of the nodes that are named, half of them replicas, or waits until one that was formed before is
# whole again. Ends when every node says so.
#
#   form-cluster.sh 172.30.43.11:6379 172.30.43.12:6379 …
set -eu

cli=$(command -v valkey-cli || command -v redis-cli)

ask() { # ADDRESS COMMAND…
    address=$1
    shift
    "$cli" -h "${address%:*}" -p "${address##*:}" "$@" 2>/dev/null
}

# Whether the node answers, and says this of the cluster.
says() { # ADDRESS LINE
    ask "$1" cluster info | tr -d '\r' | grep -qx "$2"
}

# A moment of patience, until nothing is left of two minutes.
patience=120
wait_a_second() { # WHY
    patience=$((patience - 1))
    if [ "$patience" -lt 0 ]; then
        echo "form-cluster: $1" >&2
        exit 1
    fi
    sleep 1
}

is_new=yes
for node; do
    until [ "$(ask "$node" ping)" = PONG ]; do wait_a_second "$node does not answer"; done
    says "$node" cluster_known_nodes:1 || is_new=no
done

# A node that knows others has been in a cluster before, and finds them again by itself.
if [ "$is_new" = yes ]; then
    # By itself, the command would wait for ever for nodes that do not reach each other.
    timeout 60 "$cli" --cluster create "$@" --cluster-replicas 1 --cluster-yes
    # Nor does it wait until all nodes have heard of the replicas.
    for node; do
        until [ "$(ask "$node" cluster nodes | grep -c slave)" -eq $(($# / 2)) ]; do
            wait_a_second "$node has not heard of all replicas"
        done
    done
fi

for node; do
    until says "$node" cluster_state:ok && says "$node" cluster_slots_ok:16384; do
        wait_a_second "$node says that the cluster is not whole; if it was never formed, empty the nodes and try again"
    done
    echo "form-cluster: $node sees all slots"
done
